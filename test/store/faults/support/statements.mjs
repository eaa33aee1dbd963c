// Stands between a process and its SQLite statements: counts what they throw, and kills the process before the n-th.
import Database from 'better-sqlite3'

const errors = {}
let count = 0
let before = Number.POSITIVE_INFINITY
let after = Number.POSITIVE_INFINITY

/** How often each SQLite error code was thrown so far. */
export const tallyErrors = () => ({ ...errors })

/** Counts from now on; SIGKILL before or right after the n-th statement. */
export function watchStatements({ killBefore, killAfter }) {
  count = 0
  before = killBefore ?? Number.POSITIVE_INFINITY
  after = killAfter ?? Number.POSITIVE_INFINITY
}

export const statementCount = () => count

/** Nothing of the process gets to run any more, as when the kernel ends it. */
const die = () => process.kill(process.pid, 'SIGKILL')

function counted(run) {
  return function (...args) {
    count += 1
    if (count === before) die()
    try {
      return run.apply(this, args)
    } catch (error) {
      errors[error.code] = (errors[error.code] ?? 0) + 1
      throw error
    } finally {
      if (count === after) die()
    }
  }
}

const scratch = new Database(':memory:')
const statement = Object.getPrototypeOf(scratch.prepare('SELECT 1'))
scratch.close()
for (const method of ['run', 'get', 'all']) statement[method] = counted(statement[method])

// A script is run piece by piece, so that a kill can fall between any two of its statements.
const exec = counted(Database.prototype.exec)
Database.prototype.exec = function (sql) {
  for (const part of sql.split(/;\s*\n/)) if (part.trim() !== '') exec.call(this, part)
  return this
}
