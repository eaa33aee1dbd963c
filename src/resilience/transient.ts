/**
 * Classifies errors: transient ones may be gone a moment later, so that the same request is worth another try; an abort is nobody's
 * failure. An unknown error isn't transient: a request that may have had its effect is repeated only for a reason.
 */
import { handlerErrorKind } from '../domain/handler-errors.ts'
import { errorChain, innerErrors, read, textAt } from './error-chain.ts'
import { isTransientStatus, ownStatus } from './http-answer.ts'

const transientCodes: ReadonlySet<string> = new Set([
  // Node: sockets and name resolution.
  ...[
    'ECONNRESET',
    'ECONNREFUSED',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'ESOCKETTIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EAI_NODATA',
  ],
  ...['ENETDOWN', 'ENETUNREACH', 'ENETRESET', 'EHOSTDOWN', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'ENOTCONN'],
  ...['ERR_SOCKET_CONNECTION_TIMEOUT', 'ERR_SOCKET_CLOSED', 'ERR_STREAM_PREMATURE_CLOSE'],
  ...[
    'ERR_HTTP2_GOAWAY_SESSION',
    'ERR_HTTP2_STREAM_CANCEL',
    'ERR_HTTP2_STREAM_ERROR',
    'ERR_HTTP2_SESSION_ERROR',
    'ERR_HTTP2_PING_CANCEL',
  ],
  // undici, which is behind fetch; axios.
  ...[
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_CLOSED',
    'ERR_NETWORK',
  ],
  // Timeouts, wf's own among them.
  ...['WF_CALL_TIMEOUT', 'ERR_TIMEOUT', 'TIMEOUT', 'PROTOCOL_SEQUENCE_TIMEOUT'],
  // PostgreSQL: serialization failure, deadlock, lock not available, too many connections, shutting down or starting up.
  ...[
    '40001',
    '40P01',
    '55P03',
    '53300',
    '57P01',
    '57P02',
    '57P03',
    '08000',
    '08001',
    '08003',
    '08004',
    '08006',
  ],
  // MySQL and MariaDB, Oracle, Prisma.
  ...[
    'ER_LOCK_DEADLOCK',
    'ER_LOCK_WAIT_TIMEOUT',
    'ER_CON_COUNT_ERROR',
    'ER_TOO_MANY_USER_CONNECTIONS',
    'PROTOCOL_CONNECTION_LOST',
  ],
  ...['ORA-00060', 'ORA-00054', 'ORA-08177', 'P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034'],
])

/** SQLite's codes, with extended forms such as SQLITE_BUSY_SNAPSHOT. */
const sqliteBusy = /^SQLITE_(BUSY|LOCKED)(_|$)/

/** The same codes of node:sqlite, whose low byte is the primary code. */
const sqliteBusyNumbers: ReadonlySet<number> = new Set([5, 6])
const sqlServerDeadlock = 1205

/** Messages of fetch (undici) for a request without an answer; the cause says why. */
const fetchFailures: ReadonlySet<string> = new Set(['fetch failed', 'terminated'])

/** Certificate errors don't go away by themselves. */
const certificate = /CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^ERR_INVALID_/

/** Returns true if another try may succeed. Never throws. */
export function isTransient(thrown: unknown): boolean {
  if (handlerErrorKind(thrown) !== null) return false
  for (const error of errorChain(thrown)) {
    const judged = judge(error)
    if (judged !== null) return judged
  }
  return false
}

/** Returns true for a wanted end, which says nothing about the dependency. An abort by a timeout counts as the timeout. */
export function isAbort(thrown: unknown): boolean {
  return saysAbort(thrown) && !errorChain(read(thrown, 'cause')).some(isTimeout)
}

/** Judges one error without its causes; null if it says nothing. */
function judge(error: unknown): boolean | null {
  if (saysAbort(error)) return errorChain(read(error, 'cause')).some(isTimeout)
  const status = ownStatus(error)
  if (status !== null) return isTransientStatus(status)
  if (isTimeout(error) || hasTransientCode(error)) return true
  if (textAt(error, 'name') === 'TypeError' && fetchFailures.has(textAt(error, 'message')))
    return judgeFetch(read(error, 'cause'))
  const inner = innerErrors(error)
  return inner.length > 0 ? inner.every(isTransient) : null
}

/** A cause without a code means an impossible request: an unknown scheme, a forbidden port. */
function judgeFetch(cause: unknown): boolean {
  if (cause === undefined || cause === null || isTransient(cause)) return true
  const code = textAt(cause, 'code')
  return code !== '' && !certificate.test(code)
}

function isTimeout(error: unknown): boolean {
  return textAt(error, 'name').endsWith('TimeoutError')
}

function saysAbort(error: unknown): boolean {
  const code = read(error, 'code')
  return textAt(error, 'name') === 'AbortError' || code === 'ABORT_ERR' || code === 'ERR_CANCELED'
}

function hasTransientCode(error: unknown): boolean {
  const code = textAt(error, 'code')
  if (transientCodes.has(code) || sqliteBusy.test(code) || transientCodes.has(textAt(error, 'sqlState')))
    return true
  const number = code === 'ERR_SQLITE_ERROR' ? read(error, 'errcode') : null
  return (
    (typeof number === 'number' && sqliteBusyNumbers.has(number & 0xff)) ||
    (code === 'EREQUEST' && read(error, 'number') === sqlServerDeadlock)
  )
}
