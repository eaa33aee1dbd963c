import Database from 'better-sqlite3'
import { better, defineQueue } from 'plainjob'

// Its default logger is the console: a line or more a job.
export const silent = { error() {}, warn() {}, info() {}, debug() {} }

/** plainjob sets `synchronous = NORMAL` itself; FULL has to be set on the connection afterwards. */
export function openQueue({ address, durability }) {
  const database = new Database(address)
  const queue = defineQueue({ connection: better(database), logger: silent })
  if (durability === 'FULL') database.pragma('synchronous = FULL')
  return queue
}
