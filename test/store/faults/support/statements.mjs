// Stands between a process and its SQLite statements: counts what they throw, and kills the process before the n-th.
import Database from 'better-sqlite3'

const errors = {}
let until = Number.POSITIVE_INFINITY

/** How often each SQLite error code was thrown so far. */
export const tallyErrors = () => ({ ...errors })

export function killAtStatement(statement) {
  until = statement
}

/** Nothing of the process gets to run any more, as when the kernel ends it. */
function step() {
  until -= 1
  if (until === 0) process.kill(process.pid, 'SIGKILL')
}

function counted(run) {
  return function (...args) {
    step()
    try {
      return run.apply(this, args)
    } catch (error) {
      errors[error.code] = (errors[error.code] ?? 0) + 1
      throw error
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
