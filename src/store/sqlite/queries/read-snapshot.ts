/** Reads that belong together: they see the store at one moment, so that a job which moves between two of them is not seen twice or missed. */
import type { Connection } from '../file/connection.ts'

/** `read` only reads: a transaction that begins by reading and then writes could meet a lock that no waiting ends. */
export function atOneMoment<A extends unknown[], R>(
  db: Connection,
  read: (...args: A) => R,
): (...args: A) => R {
  return db.transaction(read)
}
