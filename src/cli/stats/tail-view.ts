/** What happened, a line each, for people and scripts. */
import { maskedTargets } from '../../messages/operation-messages.ts'
import type { FeedEvent, FeedEventKind } from '../../domain/feed-event.ts'
import { maskText, Masked } from '../../text/mask.ts'
import { operationVerbs } from '../../domain/operation.ts'
import { truncate, displayWidth } from '../../text/width.ts'
import { iso } from '../../terminal/json.ts'
import type { Paint } from '../../terminal/paint.ts'
import { joined, Safe, say, shownMasked, type Shown } from '../../terminal/safe.ts'
import { thousands } from '../../terminal/time.ts'

export function feedEventDocument(event: FeedEvent) {
  const { at, kind, type, jobKey, count, what, who } = event
  const detail = maskedDetail(event)
  return {
    at: iso(at),
    kind,
    type,
    key: jobKey,
    count,
    what,
    detail: detail === null ? null : new Masked(detail),
    who,
  }
}

/** What an operation was about is told with keys and flags as they are typed. */
function maskedDetail({ kind, what, detail }: FeedEvent): string | null {
  if (detail === null) return null
  const [, head, selector] =
    (kind === 'operation' ? /^(operation \d+, \d+ changed: )(.*)$/s.exec(detail) : null) ?? []
  const verb = operationVerbs.find((each) => each === what)
  return head === undefined || selector === undefined || !verb
    ? maskText(detail)
    : `${head}${maskedTargets({ verb, selector })}`
}

const tones: Readonly<Partial<Record<FeedEventKind, keyof Paint>>> = {
  completed: 'green',
  attempt: 'yellow',
  incident: 'red',
  dead_letter: 'red',
  operation: 'cyan',
  change: 'cyan',
}

const kindWidth = 'dead letter'.length

export function feedEventLine(
  event: FeedEvent,
  { paint, width }: { paint: Paint; width: number | null },
): Safe {
  const { at, kind, count, type } = event
  const word = kind.replace('_', ' ').padEnd(kindWidth)
  const head = `${iso(at).slice(11, 19)}  ${word}  `
  const rest = joined([count > 1 ? thousands(count) : null, type, restOf(event)].filter(isTold), '  ').text
  const shown = width === null ? rest : truncate(rest, Math.max(10, width - displayWidth(head)))
  const tone = tones[kind]
  return say`${paint.dim(iso(at).slice(11, 19))}  ${tone === undefined ? word : paint[tone](word)}  ${new Safe(shown)}`
}

const isTold = <T extends Shown>(part: T | null): part is T =>
  part !== null && part !== '' && !(part instanceof Safe && part.text === '')

function restOf(event: FeedEvent): Safe {
  const { what, jobKey, who } = event
  const detail = maskedDetail(event)
  const words = [
    what?.replaceAll('_', ' ') ?? null,
    jobKey === null ? null : say`job ${jobKey}`,
    detail === null ? null : shownMasked(detail),
    who === null ? null : `by ${who}`,
  ]
  return joined(words.filter(isTold), '  ')
}
