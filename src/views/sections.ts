/** The parts of a page about one thing: facts beside their names, and titled blocks. */
import { displayWidth } from '../text/width.ts'
import type { Paint } from '../terminal/paint.ts'
import {
  commandInJson,
  type Revealing,
  Safe,
  safeJson,
  say,
  type Shown,
  shownCommand,
} from '../terminal/safe.ts'

export type Fact = readonly [name: string, value: Shown | null]

/** One line a fact; those that are null are left out. */
export function facts(list: readonly Fact[], paint: Paint): readonly Safe[] {
  const shown = list.filter((fact): fact is readonly [string, Shown] => fact[1] !== null)
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => say`  ${paint.dim(name.padEnd(width))}  ${value}`)
}

/** Nothing at all when there are no lines. */
export function section(title: string, lines: readonly Safe[], paint: Paint): readonly Safe[] {
  return lines.length === 0 ? [] : [say``, paint.bold(title), ...lines]
}

export const indented = (lines: readonly Safe[]): readonly Safe[] => lines.map((line) => say`  ${line}`)

const mostLines = 40
const mostCharacters = 8_000

/** JSON over several lines, cut to what a screen can take unless `full`. */
export function jsonLines(
  value: unknown,
  { full, paint, reveal = false }: { full: boolean; paint: Paint } & Revealing,
): readonly Safe[] {
  const lines = safeJson(value, { reveal })
  if (full) return indented(lines)
  const shown: Safe[] = []
  let left = mostCharacters
  for (const { text } of lines.slice(0, mostLines)) {
    if (left > 0) shown.push(new Safe(text.slice(0, left).replace(/[\ud800-\udbff]$/, '')))
    left -= text.length + 1
  }
  const isCut = left < 0 || shown.length < lines.length
  return indented([...shown, ...(isCut ? [paint.dim('… cut; --full shows all')] : [])])
}

export interface Step {
  /** As it is typed. */
  command: string
  /** What it leads to. */
  why: string
}

/** As they stand in a JSON document. */
export const stepDocuments = (steps: readonly Step[]) =>
  steps.map(({ command, why }) => ({ command: commandInJson(command), why }))

export function stepLines(steps: readonly Step[], paint: Paint): readonly Safe[] {
  const width = Math.max(0, ...steps.map(({ command }) => displayWidth(command)))
  return steps.map(
    ({ command, why }) => say`  ${paint.cyan(shownCommand(command.padEnd(width)))}  ${paint.dim(why)}`,
  )
}
