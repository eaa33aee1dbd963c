/**
 * The errors that a handler throws on purpose. Each says what is to become of the job; everything else that is thrown
 * is a failure. They are known by a brand on the error itself, not by their class: a handler may have been loaded
 * with another copy of this package, or thrown from another realm.
 */
import { maxDurationMs, parseDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'

export type HandlerErrorKind = 'business' | 'defer' | 'retry' | 'incident' | 'non_retryable' | 'poison'

const brand = Symbol.for('wfkit.handler-error')

interface ErrorOptions {
  cause?: unknown
}

abstract class HandlerError extends Error {
  constructor(kind: HandlerErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    Object.defineProperty(this, brand, { value: kind })
  }
}

/** An expected refusal with a code, such as CARD_DECLINED: the job ends as rejected, without retry and without waking anyone, if the handler declares the code. */
export class BusinessError extends HandlerError {
  override readonly name = 'BusinessError'
  readonly code: string
  constructor(code: string, message = '', options: ErrorOptions = {}) {
    super('business', message, options)
    if (typeof code !== 'string' || code === '' || code.length > 200)
      throw misuse(`BusinessError's code is ${preview(code, 60)}`, 'a code is text of 1 to 200 characters')
    this.code = code
  }
}

/** Come back later; costs no retry. `in` is how long from now (ms or text such as `30s`), `at` the instant (Date or epoch ms); exactly one. */
export class DeferError extends HandlerError {
  override readonly name: string = 'DeferError'
  readonly delayMs: number | null
  readonly at: number | null
  constructor(
    message: string,
    when: { in: number | string } | { at: number | Date },
    options: ErrorOptions = {},
  ) {
    super('defer', message, options)
    const { in: delay, at } = when as { in?: number | string; at?: number | Date }
    if ((delay === undefined) === (at === undefined))
      throw misuse('DeferError needs either in or at', "write new DeferError('…', { in: '30s' })")
    this.delayMs = delay === undefined ? null : parseDuration(delay, "DeferError's in")
    this.at = at === undefined ? null : instant(at)
  }
}

/** An ordinary failure of `cause` (an error, or a message) whose next attempt comes after `in` instead of the backoff. Spends a retry. */
export class RetryError extends HandlerError {
  override readonly name = 'RetryError'
  readonly delayMs: number | null
  constructor(cause: unknown, when: { in?: number | string } = {}) {
    super(
      'retry',
      cause instanceof Error ? cause.message : String(typeof cause === 'string' ? cause : preview(cause)),
      { cause },
    )
    this.delayMs = when.in === undefined ? null : parseDuration(when.in, "RetryError's in")
  }
}

/** Stop: an incident opens at once, and a person decides. Spends no retry. */
export class IncidentError extends HandlerError {
  override readonly name: string = 'IncidentError'
  constructor(message: string, options: ErrorOptions = {}, kind: 'incident' | 'non_retryable' = 'incident') {
    super(kind, message, options)
  }
}

/** IncidentError under the name that other job systems have given it; its incident is of kind `non_retryable`. */
export class NonRetryableError extends IncidentError {
  override readonly name = 'NonRetryableError'
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options, 'non_retryable')
  }
}

/** The variables can never succeed: an incident, and a dead letter that keeps them. */
export class PoisonError extends HandlerError {
  override readonly name = 'PoisonError'
  constructor(message: string, options: ErrorOptions = {}) {
    super('poison', message, options)
  }
}

/** The kind of a thrown handler error of this or any other copy of the package; null for everything else. Never throws. */
export function handlerErrorKind(thrown: unknown): HandlerErrorKind | null {
  if (typeof thrown !== 'object' || thrown === null) return null
  try {
    const kind: unknown = Object.getOwnPropertyDescriptor(thrown, brand)?.value
    return kinds.includes(kind as HandlerErrorKind) ? (kind as HandlerErrorKind) : null
  } catch {
    return null
  }
}

const kinds: readonly HandlerErrorKind[] = [
  'business',
  'defer',
  'retry',
  'incident',
  'non_retryable',
  'poison',
]

function instant(at: number | Date): number {
  const ms = at instanceof Date ? at.getTime() : at
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0)
    throw misuse(`DeferError's at is ${preview(at, 60)}`, 'at is a Date or epoch milliseconds')
  return ms
}

/** Thrown inside a handler, it is one failed attempt that says what is wrong with the handler. */
function misuse(message: string, hint: string): WfError {
  return new WfError('invalid_handler', message, { hint })
}

/** When a deferral ends, epoch ms; refused beyond ten years. A past instant means at once. */
export function deferUntil(defer: { delayMs: unknown; at: unknown }, now: number): number {
  const until = typeof defer.delayMs === 'number' ? now + defer.delayMs : defer.at
  if (typeof until !== 'number' || !(until >= 0) || until > now + maxDurationMs) {
    throw misuse(
      `DeferError names ${preview(until, 60)} as its instant`,
      'it takes whole milliseconds, at most ten years ahead',
    )
  }
  return Math.max(until, now)
}
