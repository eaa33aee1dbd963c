/** Turns SQLite's errors into WfErrors: which file, why, what to do. */
import { WfError, type ErrorCode } from '../../../errors.ts'

interface CodedError extends Error {
  code: string
}

function coded(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Another connection holds a lock: the same call can succeed a moment later. */
export function isLocked(error: unknown): boolean {
  return coded(error) && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code)
}

/** A row violates a constraint or is too big: the row is at fault, not the store. */
export function isConstraint(error: unknown): error is CodedError {
  return coded(error) && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(error.code)
}

/** One item of a batch is at fault: a constraint, a value that cannot be bound, or what wf itself refuses. */
export function isRefusal(error: unknown): error is Error {
  return (
    isConstraint(error) ||
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof WfError
  )
}

/** SQLite found the file damaged, or not a database. */
export function isDamage(error: unknown): boolean {
  return coded(error) && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}

/** The store as a whole is at fault: no row would be accepted now. Not SQLITE_ERROR, which a single row may cause. */
export function isStoreFailure(error: unknown): boolean {
  return (
    coded(error) &&
    !(error instanceof WfError) &&
    error.code !== 'SQLITE_ERROR' &&
    reasons.some(([pattern]) => pattern.test(error.code))
  )
}

const besides = [
  'even to read it, SQLite needs to write files beside it, and here none can be written',
  'Run wf as the owner of the store, or while a worker of its owner runs. Where the disk is mounted read-only, read a copy in a directory of your own.',
] as const

type Reason = readonly [pattern: RegExp, code: ErrorCode, what: string, hint: string]

const reasons: readonly Reason[] = [
  [
    /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    'store_locked',
    'another process holds its write lock',
    'Wait for that process to finish, or stop it, then try again.',
  ],
  [
    /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/,
    'store_full',
    'the disk is full, or the store has reached its size limit',
    'Free space on that disk, then try again; nothing that was accepted is lost.',
  ],
  [
    /^SQLITE_READONLY_DBMOVED/,
    'store_replaced',
    'its file was deleted, moved or replaced while it was open',
    'Stop every process that had it open and start it again; put a backup in place only while all of them are stopped.',
  ],
  [/^SQLITE_READONLY_(DIRECTORY|CANTINIT|CANTLOCK|RECOVERY|ROLLBACK)/, 'store_read_only', ...besides],
  [
    /^(SQLITE_READONLY|SQLITE_PERM|EACCES|EPERM|EROFS)/,
    'store_read_only',
    'it cannot be written',
    'Check the owner and mode of the file and of its directory, and that the disk is not mounted read-only.',
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'store_corrupt',
    'it is damaged, or is not an SQLite database',
    'Restore a backup; to save what is readable, stop every worker and run `sqlite3 FILE .recover`.',
  ],
  [
    /^SQLITE_ERROR$/,
    'store_corrupt',
    'its tables are not as this wf makes them',
    'Restore a backup, or put back what somebody took away or changed.',
  ],
  [
    /^SQLITE_(CANTOPEN|IOERR|NOMEM|NOLFS|AUTH|INTERNAL)|^(ENOENT|ENOTDIR|EISDIR|EIO|EMFILE|ENFILE|ELOOP|ENAMETOOLONG)/,
    'store_unavailable',
    'the file cannot be opened or read',
    'Check that the path is right and that the disk works.',
  ],
]

/** SQLite can't open a file: the store, or one beside it; it doesn't say which. */
export function isCannotOpen(error: unknown): boolean {
  const thrown = error instanceof WfError ? error.cause : error
  return coded(thrown) && thrown.code.startsWith('SQLITE_CANTOPEN')
}

/** Returns the WfError for an error of the driver or a file call; other errors are returned as they are. */
export function storeError(error: unknown, location: string): unknown {
  if (error instanceof WfError || !coded(error)) return error
  const reason = reasons.find(([pattern]) => pattern.test(error.code))
  if (reason === undefined) return error
  const [, code, what, hint] = reason
  return explained(error, { location, code, what, hint })
}

/**
 * The errors after a failed sync of the WAL. `unknown`: for commits whose outcome is unknown; to
 * report failure would be as wrong as to report success. `ended`: for later writes, which are not stored.
 */
export function syncErrors(failure: Error, location: string): { unknown: WfError; ended: WfError } {
  const why = `the disk failed to keep what was written to ${location} (${failure.message})`
  return {
    unknown: new WfError('outcome_unknown', `nobody knows whether this was stored: ${why}`, {
      hint: 'Check the disk, open the store anew, and ask again: with the same idempotency key, what was stored after all is not stored twice.',
      cause: failure,
    }),
    ended: new WfError('store_corrupt', `${why}; this process stores nothing more`, {
      hint: 'Check the disk, then start wf again: it puts in order what was written. Nothing that was acknowledged is lost.',
      cause: failure,
    }),
  }
}

/** The engine could open the store, but nothing in its directory. */
export function nothingBeside(error: unknown, location: string): unknown {
  const thrown = error instanceof WfError ? error.cause : error
  const [what, hint] = besides
  return coded(thrown) ? explained(thrown, { location, code: 'store_read_only', what, hint }) : error
}

function explained(
  error: CodedError,
  { location, code, what, hint }: { location: string; code: ErrorCode; what: string; hint: string },
): WfError {
  const words = error.message.startsWith(error.code) ? error.message : `${error.code}: ${error.message}`
  return new WfError(code, `the store ${location} cannot be used: ${what} (${words})`, { hint, cause: error })
}
