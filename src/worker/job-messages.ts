/** One line for people about one attempt that is over, from what was settled. Pure. */
import { formatDuration } from '../text/duration.ts'
import { maskText } from '../text/mask.ts'
import type { Settlement } from '../domain/outcome.ts'
import type { LogFields, LogLevel } from '../logger.ts'
import type { Settled } from '../store/port.ts'

export interface JobLine {
  level: LogLevel
  message: string
  fields: LogFields
}

export interface SettledAttempt {
  settlement: Settlement
  result: Settled
  durationMs: number
  /** Epoch ms of the commit. */
  now: number
}

const longestReason = 160

/** `charge-payment #12` */
export function jobName(job: { type: string; key: number }): string {
  return `${job.type} #${job.key}`
}

export function lineOf(settled: SettledAttempt): JobLine {
  const { settlement, durationMs } = settled
  const { fence, type, outcome } = settlement
  const fields = {
    job: fence.jobKey,
    type,
    attempt: fence.attempt,
    outcome,
    durationMs: Math.round(durationMs),
  }
  const name = jobName({ type, key: fence.jobKey })
  if (settled.result === 'refused')
    return {
      level: 'warn',
      message: `▲ ${name} incident settlement_refused: the store did not take its outcome`,
      fields,
    }
  const stop = stopWords(settlement)
  if (stop)
    return { level: 'warn', message: `▲ ${name} ${stop}`, fields: { ...fields, ...stopFields(settlement) } }
  const { level, words } = wordsOf(settled)
  return { level, message: `${words[0]} ${name} ${words[1]}`, fields }
}

function stopWords({ incident, deadLetter }: Settlement): string | null {
  if (incident) return `incident ${incident.kind}: ${reasonOf(incident.error)}`
  return deadLetter ? `dead letter ${deadLetter.reason}: ${reasonOf(deadLetter.error)}` : null
}

function stopFields({ incident, deadLetter }: Settlement): LogFields {
  return {
    ...(incident ? { incident: incident.kind } : {}),
    ...(deadLetter ? { deadLetter: deadLetter.reason } : {}),
  }
}

function wordsOf({ settlement, durationMs, now }: SettledAttempt): {
  level: LogLevel
  words: readonly [string, string]
} {
  const attempt = `attempt ${settlement.fence.attempt}`
  const why = settlement.attempt?.error ? `: ${reasonOf(settlement.attempt.error)}` : ''
  const again = againIn(settlement.next.runAt - now)
  switch (settlement.outcome) {
    case 'success':
      return { level: 'info', words: ['✓', formatDuration(durationMs)] }
    case 'fail':
      return { level: 'info', words: ['✗', `${attempt} failed${why}, again ${again}`] }
    case 'defer':
      return { level: 'info', words: ['…', `deferred${why}, again ${again}`] }
    case 'business_error':
      return { level: 'info', words: ['–', `rejected${why}`] }
    case 'interrupted':
      return { level: 'info', words: ['↩', 'given back unfinished, costs no retry'] }
    case 'lost':
      return { level: 'warn', words: ['✗', `${attempt} was lost${why}, again ${again}`] }
    default:
      return { level: 'warn', words: ['✗', `${attempt} ended as ${settlement.outcome}${why}`] }
  }
}

function againIn(ms: number): string {
  return ms <= 0 ? 'at once' : `in ${formatDuration(ms)}`
}

/** `ETIMEDOUT connect to stripe`, on one line. Masked before it is cut: of half a secret nobody could tell what it is. */
export function reasonOf({ code, message }: { code: string | null; message: string }): string {
  const text = code !== null && !message.includes(code) ? `${code} ${message}` : message
  const head =
    text.length <= 8 * longestReason ? text : text.slice(0, 8 * longestReason).replace(/\S{1,200}$/, '')
  const line = maskText(head).replace(/\s+/g, ' ').trim()
  return line.length <= longestReason
    ? line
    : `${line.slice(0, longestReason - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
