/** What happened, a line each, for people and scripts. */
import type { Happening, HappeningKind } from '../../domain/happening.ts'
import { cutToWidth, displayWidth } from '../../domain/text.ts'
import { iso } from '../output/json.ts'
import type { Paint } from '../output/paint.ts'
import { Safe, safe, say } from '../output/safe.ts'
import { thousands } from '../output/time.ts'

export function happeningDocument({ at, kind, type, jobKey, count, what, detail, who }: Happening) {
  return { at: iso(at), kind, type, key: jobKey, count, what, detail, who }
}

const tones: Readonly<Partial<Record<HappeningKind, keyof Paint>>> = {
  completed: 'green',
  attempt: 'yellow',
  incident: 'red',
  dead_letter: 'red',
  operation: 'cyan',
  change: 'cyan',
}

const kindWidth = 'dead letter'.length

export function happeningLine(happening: Happening, { paint, width }: { paint: Paint; width: number | null }): Safe {
  const { at, kind, count, type } = happening
  const word = kind.replace('_', ' ').padEnd(kindWidth)
  const head = `${iso(at).slice(11, 19)}  ${word}  `
  const rest = safe([count > 1 ? thousands(count) : null, type, restOf(happening)].filter((part) => part !== null && part !== '').join('  ')).text
  const shown = width === null ? rest : cutToWidth(rest, Math.max(10, width - displayWidth(head)))
  const tone = tones[kind]
  return say`${paint.dim(iso(at).slice(11, 19))}  ${tone === undefined ? word : paint[tone](word)}  ${new Safe(shown)}`
}

function restOf({ what, jobKey, detail, who }: Happening): string {
  const words = [what?.replaceAll('_', ' ') ?? null, jobKey === null ? null : `job ${jobKey}`, detail, who === null ? null : `by ${who}`]
  return words.filter((word) => word !== null && word !== '').join('  ')
}
