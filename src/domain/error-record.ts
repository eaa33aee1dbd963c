/**
 * What is kept of something thrown: at most `limits.errorBytes` of JSON whatever it was, head and tail, for people
 * and for grouping. The thing itself is only read, once, and never trusted: getters may throw, chains may circle.
 */
import { cutMiddle, storable } from '../text/truncate-bytes.ts'
import { attempt, className, preview } from '../text/preview.ts'

export interface ErrorRecord {
  /** `Error`, `TypeError`, …; `string`, `null` … for what is no Error. */
  name: string
  message: string
  /** A machine's word for the cause: `error.code`, a business error's code; else the first one among the causes. */
  code: string | null
  /** The frames, without the name and message above them. */
  stack: string | null
  /** name and message of each cause, outermost first, at most 8. The errors of an AggregateError count as causes. */
  causes: readonly { name: string; message: string; code: string | null }[]
  /** True when anything was cut to fit the bound. */
  truncated: boolean
}

/** JSON bytes; with punctuation they stay under `limits.errorBytes`. */
const bytes = {
  name: 200,
  message: 5_000,
  code: 200,
  stack: 6_000,
  causeName: 80,
  causeMessage: 380,
  causeCode: 80,
} as const
const mostCauses = 8

export function errorRecord(thrown: unknown): ErrorRecord {
  const cut = cutter()
  const message = messageOf(thrown)
  const causes = causesOf(thrown, cut)
  const code = codeOf(thrown)
  return {
    name: cut.to(nameOf(thrown), bytes.name),
    message: cut.to(message, bytes.message),
    code:
      code === null ? (causes.find((cause) => cause.code !== null)?.code ?? null) : cut.to(code, bytes.code),
    stack: stackOf(thrown, message, cut),
    causes,
    truncated: cut.happened(),
  }
}

/** A record for what wf itself has to say; `cause` is what led to it. */
export function ownErrorRecord(own: {
  name: string
  code: string
  message: string
  cause?: ErrorRecord
}): ErrorRecord {
  const cut = cutter()
  const { cause } = own
  const causes = cause ? [shortened(cause, cut), ...cause.causes].slice(0, mostCauses) : []
  const message = cut.to(own.message, bytes.message)
  return {
    name: own.name,
    message,
    code: own.code,
    stack: cause?.stack ?? null,
    causes,
    truncated: cut.happened() || (cause?.truncated ?? false),
  }
}

function shortened(record: { name: string; message: string; code: string | null }, cut: Cutter) {
  return {
    name: cut.to(record.name, bytes.causeName),
    message: cut.to(record.message, bytes.causeMessage),
    code: record.code === null ? null : cut.to(record.code, bytes.causeCode),
  }
}

interface Cutter {
  to(text: string, maxBytes: number): string
  /** Says that something was left out. */
  note(): void
  happened(): boolean
}

function cutter(): Cutter {
  let happened = false
  return {
    to(text, maxBytes) {
      const kept = cutMiddle(text, maxBytes)
      if (kept.cut) happened = true
      return storable(kept.text)
    },
    note() {
      happened = true
    },
    happened: () => happened,
  }
}

function read(thrown: unknown, key: string): unknown {
  if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) return undefined
  return attempt(() => (thrown as Record<string, unknown>)[key], undefined)
}

/** Errors of another realm and look-alikes count: whatever is an object and has a message. */
function isErrorLike(thrown: unknown): thrown is object {
  return typeof thrown === 'object' && thrown !== null && typeof read(thrown, 'message') === 'string'
}

function nameOf(thrown: unknown): string {
  if (thrown === null) return 'null'
  if (typeof thrown === 'function') return preview(thrown).startsWith('class') ? 'class' : 'function'
  if (typeof thrown !== 'object') return typeof thrown
  const name = read(thrown, 'name')
  if (!isErrorLike(thrown))
    return attempt(() => Array.isArray(thrown), false)
      ? 'array'
      : className(thrown).replace(/^Object$/, 'object')
  // A subclass that sets no name of its own would be one `Error` among thousands.
  return typeof name === 'string' && name !== '' && name !== 'Error'
    ? name
    : className(thrown).replace(/^Object$/, 'Error')
}

function messageOf(thrown: unknown): string {
  if (isErrorLike(thrown)) return errorMessage(thrown)
  if (typeof thrown === 'string') return thrown === '' ? 'an empty string was thrown' : thrown
  if (attempt(() => thrown instanceof Promise, false)) return 'a Promise was thrown: an await is missing'
  return `${preview(thrown, 500)} was thrown`
}

function errorMessage(thrown: object): string {
  const message = read(thrown, 'message') as string
  if (message !== '') return message
  const inner = innerErrors(thrown)[0]
  return inner === undefined
    ? '(no message)'
    : `several errors, the first: ${isErrorLike(inner) ? read(inner, 'message') : preview(inner)}`
}

function codeOf(thrown: unknown): string | null {
  const code = read(thrown, 'code')
  if (typeof code === 'string' && code !== '') return code
  return typeof code === 'number' && Number.isFinite(code) ? String(code) : null
}

function stackOf(thrown: unknown, message: string, cut: Cutter): string | null {
  const stack = isErrorLike(thrown) ? read(thrown, 'stack') : undefined
  if (typeof stack !== 'string' || stack === '') return null
  // V8 puts `Name: message` in front of the frames; kept twice, a long message would push the frames out.
  const at = stack.slice(0, 500 + message.length).indexOf(message)
  const frames = at < 0 ? stack.replace(/^[^\n]*\n(?= +at )/, '') : stack.slice(at + message.length)
  return cut.to(frames.trimStart(), bytes.stack) || null
}

function innerErrors(thrown: unknown): readonly unknown[] {
  const errors = read(thrown, 'errors')
  return attempt(() => (Array.isArray(errors) ? errors.slice(0, mostCauses + 1) : []), [])
}

/** Breadth first, so that each error of an AggregateError is named before the cause of its first. */
function causesOf(thrown: unknown, cut: Cutter): ErrorRecord['causes'] {
  const seen = new Set<unknown>([thrown])
  const queue = below(thrown)
  const causes: { name: string; message: string; code: string | null }[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (seen.has(next.error)) continue
    if (causes.length === mostCauses) {
      cut.note()
      break
    }
    seen.add(next.error)
    causes.push(
      shortened({ name: nameOf(next.error), message: messageOf(next.error), code: codeOf(next.error) }, cut),
    )
    queue.push(...below(next.error))
  }
  return causes
}

function below(thrown: unknown): { error: unknown }[] {
  const cause = read(thrown, 'cause')
  const direct = cause === undefined || cause === null ? [] : [cause]
  return [...direct, ...innerErrors(thrown)].map((error) => ({ error }))
}
