/** Pieces of sentences that several explanations use. */
import { formatDuration } from '../text/duration.ts'
import type { ErrorRecord } from '../domain/error-record.ts'

const longestMessage = 200

/** `ETIMEDOUT: connect timed out`, on one line. */
export function errorWords({ name, code, message }: Pick<ErrorRecord, 'name' | 'code' | 'message'>): string {
  const line = message.replace(/\s+/g, ' ').trim()
  const cut =
    line.length > longestMessage ? `${line.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '')}…` : line
  return cut === '' ? (code ?? name) : `${code ?? name}: ${cut}`
}

/** `in 3m5s`, or `now` once it has come. */
export function inWords(at: number, now: number): string {
  return at <= now ? 'now' : `in ${formatDuration(at - now)}`
}

/** `3m5s ago`; a clock that was set back makes nothing younger than new. */
export function agoWords(at: number, now: number): string {
  return now - at < 1_000 ? 'just now' : `${formatDuration(now - at)} ago`
}

export function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `: why`, or nothing. */
export function because(reason: string | null): string {
  return reason === null || reason === '' ? '' : `: ${reason}`
}
