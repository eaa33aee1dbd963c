/** Reads the status and the Retry-After of an HTTP answer from an error, in the forms of the common clients. */
import { errorChain, read } from './error-chain.ts'

/** Request timeout, too early, too many requests (RFC 9110, RFC 6585), and every server error. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/** Returns the status of an error without its causes; null if it has none between 100 and 599. */
export function ownStatus(error: unknown): number | null {
  const response = read(error, 'response')
  const metadata = read(error, '$metadata')
  const given = [
    read(error, 'status'),
    read(error, 'statusCode'),
    read(response, 'status'),
    read(response, 'statusCode'),
  ]
  const status = [...given, read(metadata, 'httpStatusCode')]
    .map(whole)
    .find((value) => value !== null && value >= 100 && value <= 599)
  return status ?? null
}

/** Returns the first status in the chain of causes. */
export function statusOf(thrown: unknown): number | null {
  for (const error of errorChain(thrown)) {
    const status = ownStatus(error)
    if (status !== null) return status
  }
  return null
}

/** A day: a server that asks for more is mistaken or hostile, and a job that returns tomorrow loses nothing. */
const maxRetryAfterMs = 24 * 3_600_000

/** Returns the wait that an answer asks for, 0 ms to a day; null if it asks for none or can't be read. `now`: epoch ms. */
export function retryAfterMs(thrown: unknown, now: number): number | null {
  for (const error of errorChain(thrown)) {
    for (const headers of [
      read(error, 'headers'),
      read(read(error, 'response'), 'headers'),
      read(error, 'responseHeaders'),
    ]) {
      const ms =
        bounded(finite(header(headers, 'retry-after-ms'))) ??
        bounded(delayMs(header(headers, 'retry-after'), now))
      if (ms !== null) return ms
    }
  }
  return null
}

function delayMs(value: unknown, now: number): number | null {
  const seconds = finite(value)
  if (seconds !== null) return seconds * 1_000
  // An HTTP date begins with its weekday; Date.parse would also make dates of "-5" and "1e3".
  if (typeof value !== 'string' || !/^\s*[A-Za-z]{3,9},? /.test(value)) return null
  // The oldest of the three HTTP date forms ends with its year and implies GMT.
  const at = Date.parse(/ \d{4}\s*$/.test(value) ? `${value} GMT` : value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function bounded(ms: number | null): number | null {
  return ms === null || ms < 0 ? null : Math.min(Math.ceil(ms), maxRetryAfterMs)
}

/** Reads a Headers or Map (`get`), or a plain object in any letter case; the first of several values. */
function header(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  const value =
    typeof read(headers, 'get') === 'function'
      ? got(headers as { get(name: string): unknown }, name)
      : undefined
  const found = value ?? read(headers, nameIn(headers, name))
  return Array.isArray(found) ? found[0] : found
}

function got(headers: { get(name: string): unknown }, name: string): unknown {
  try {
    // A Map keeps the letter case of its names.
    return headers.get(name) ?? headers.get(name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()))
  } catch {
    return undefined
  }
}

function nameIn(headers: object, name: string): string {
  if (read(headers, name) !== undefined) return name
  try {
    return Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name
  } catch {
    return name
  }
}

/** Reads a number, or text of digits only: no sign, no exponent. */
function finite(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^\s*\d{1,15}(\.\d+)?\s*$/.test(value) ? Number(value) : null
}

function whole(value: unknown): number | null {
  const number = finite(value)
  return number !== null && Number.isInteger(number) ? number : null
}
