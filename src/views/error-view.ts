/** The record of an error, as it is shown. */
import type { ErrorRecord } from '../domain/error-record.ts'
import type { Paint } from '../terminal/paint.ts'
import { Safe, safeLines, say, type Revealing } from '../terminal/safe.ts'

/** One line: the code tells more than the class where there is one. */
export function errorLine(error: ErrorRecord): string {
  const label = error.code ?? (error.name === 'Error' ? null : error.name)
  const message = firstLine(error.message)
  return label === null || message.startsWith(label) ? message : `${label}: ${message}`
}

const firstLine = (text: string) => text.split('\n').find((line) => line.trim() !== '') ?? text

export function errorLines(error: ErrorRecord, paint: Paint, revealing: Revealing = {}): readonly Safe[] {
  const code = error.code === null ? say`` : say` (${error.code})`
  const [first = say``, ...rest] = safeLines(error.message, revealing)
  const causes = error.causes.map(
    (cause) =>
      say`caused by ${cause.name}: ${firstLine(cause.message)}${cause.code === null ? '' : ` (${cause.code})`}`,
  )
  const frames = safeLines(error.stack ?? '', revealing)
    .filter(({ text }) => text.trim() !== '')
    .slice(0, 4)
    .map(({ text }) => new Safe(`  ${text.trim()}`))
  return [
    say`${paint.bold(error.name)}${code}: ${first}`,
    ...rest,
    ...causes,
    ...frames.map((frame) => paint.dim(frame)),
  ]
}
