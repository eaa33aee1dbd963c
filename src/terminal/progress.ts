/** One line that tells how far a long command is. Only on a terminal that can take it away; it is gone when the command has ended. */
import type { Clock } from '../clock.ts'
import type { Output } from './output.ts'
import { thousands } from './time.ts'

export interface Progress {
  /** `fraction` is 0 … 1, or null when the end is not known. */
  update(count: number, fraction: number | null): void
  end(): void
}

const redrawMs = 100
const bar = 24

export function createProgress(output: Output, clock: Clock, noun: string): Progress {
  if (output.json || !output.err.isTTY || process.env['TERM'] === 'dumb')
    return { update: () => {}, end: () => {} }
  const startedAt = clock.monotonic()
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    update(count, fraction) {
      const now = clock.monotonic()
      if (now - drawnAt < redrawMs) return
      drawnAt = now
      const rate = Math.round((count * 1_000) / Math.max(1, now - startedAt))
      const columns = output.err.columns ?? 80
      output.err.write(`\r\u001b[K${progressLine({ count, fraction, rate, noun }).slice(0, columns - 1)}`)
    },
    end() {
      if (drawnAt > Number.NEGATIVE_INFINITY) output.err.write('\r\u001b[K')
    },
  }
}

export function progressLine({
  count,
  fraction,
  rate,
  noun,
}: {
  count: number
  fraction: number | null
  rate: number
  noun: string
}): string {
  const told = `${thousands(count)} ${noun}  ${thousands(rate)}/s`
  if (fraction === null) return told
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * bar)
  return `${'█'.repeat(full)}${'░'.repeat(bar - full)} ${String(Math.floor(fraction * 100)).padStart(3)} %  ${told}`
}
