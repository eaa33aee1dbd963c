/** A cause as people and scripts see it, with the command that takes exactly its incidents. */
import { trendWindowMs, type Cause, type Trend } from '../domain/cause.ts'
import type { CommonVariable } from '../domain/common-variables.ts'
import { guardedBecause } from '../messages/incident-messages.ts'
import { preview } from '../text/preview.ts'
import { selectorText } from '../domain/selector-text.ts'
import { whereText } from '../domain/where.ts'
import type { Selector } from '../domain/selector.ts'
import { truncate } from '../text/width.ts'
import type { InspectedCause } from '../engine/causes.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { commandInJson, joined, safe, Safe, say, shownCommand } from '../terminal/safe.ts'
import { counted, relative, span, thousands } from '../terminal/time.ts'

export interface CauseLook {
  paint: Paint
  width: number | null
  now: number
  /** Narrows the command as the list was narrowed. */
  selector: Selector
  /** Behind commands: names the store where it is not the usual one. */
  suffix: string
}

const arrows: Readonly<Record<Trend, string>> = { rising: '↑', steady: '=', falling: '↓' }

export function causeDocument(cause: InspectedCause, look: Pick<CauseLook, 'selector' | 'suffix'>) {
  const { fingerprint, type, kind, kinds, code, name, message, count, recent, trend, common, compared } =
    cause
  return {
    ...{ fingerprint, type, kind, kinds, code, name, message, count },
    firstAt: iso(cause.firstAt),
    lastAt: iso(cause.lastAt),
    seenAt: iso(cause.seenAt),
    trend: { direction: trend, windowMs: trendWindowMs, ...recent },
    isNew: cause.isNew,
    programStartedAt: iso(cause.programStartedAt),
    common: common.map(({ path, value, ...shares }) => ({
      path,
      value,
      where: whereText({ path, value }),
      ...shares,
    })),
    compared,
    sampleKeys: cause.sampleKeys.slice(0, 10),
    command: commandInJson(causeCommand(cause, look)),
  }
}

/** `ETIMEDOUT: connect to <text> failed` */
export function causeWords({ code, name, message }: Pick<Cause, 'code' | 'name' | 'message'>): string {
  const label = code ?? (name === 'Error' ? null : name)
  return label === null || message.startsWith(label) ? message : `${label}: ${message}`
}

/** Takes its incidents and no other, of those that were asked for; kinds that are passed by unless named are named. */
export function causeCommand(
  { fingerprint, kinds }: Pick<Cause, 'fingerprint' | 'kinds'>,
  { selector, suffix }: Pick<CauseLook, 'selector' | 'suffix'>,
): string {
  const isGuarded = kinds.some(({ kind }) => guardedBecause[kind] !== undefined)
  const named = isGuarded ? { incidentKinds: kinds.map(({ kind }) => kind) } : {}
  const meant = selectorText({ ...selector, ...named, fingerprints: [fingerprint] })
  const mended = kinds[0]?.kind === 'poison_message' ? ' --set PATH=VALUE' : ''
  return `wf incidents resolve ${meant} --retries 3${mended}${suffix}`
}

/** Four lines or so: how much of what, since when, what it has in common, what to do. */
export function causeLines(cause: InspectedCause, look: CauseLook): readonly Safe[] {
  const { paint, width } = look
  const { bold, red, dim, yellow, cyan } = paint
  const fresh = cause.isNew ? say`  ${yellow('new')}` : say``
  const head = say`${bold(thousands(cause.count))} ${arrows[cause.trend]}  ${cause.type}`
  const cut = (line: Safe, painter: (text: Safe) => Safe = safe) =>
    painter(new Safe(width === null ? line.text : truncate(line.text, width)))
  return [
    say`${head}${fresh}`,
    cut(say`  ${causeWords(cause)}`, red),
    cut(say`  ${timesWords(cause, look.now)}`, dim),
    ...commonLines(cause).map((line) => cut(say`  ${line}`)),
    ...guardLines(cause).map((line) => cut(say`  ${line}`, yellow)),
    cyan(say`  ${shownCommand(causeCommand(cause, look))}`),
  ]
}

function timesWords({ kinds, firstAt, lastAt, recent }: InspectedCause, now: number): Safe {
  const named =
    kinds.length === 1
      ? say`${kinds[0]?.kind ?? ''}`
      : joined(
          kinds.map(({ kind, count }) => say`${thousands(count)} ${kind}`),
          ', ',
        )
  const window = span(trendWindowMs)
  return say`${named} · first ${relative(firstAt, now)}, last ${relative(lastAt, now)} · ${thousands(recent.last)} in the last ${window}, ${thousands(recent.before)} before`
}

function commonLines({ common, compared }: InspectedCause): readonly Safe[] {
  return common.map(({ path, value, share, shareOfOthers }: CommonVariable) => {
    const many = share === 1 ? say`all have` : say`${Math.floor(share * 100)} % have`
    const others =
      shareOfOthers === 0
        ? say`none of ${counted(compared.others, 'other job')}`
        : say`${Math.ceil(shareOfOthers * 100)} % of ${counted(compared.others, 'other job')}`
    return say`${many} ${`variables.${path}`} = ${preview(value, 60)}; ${others}`
  })
}

function guardLines({ kinds }: InspectedCause): readonly Safe[] {
  return kinds.flatMap(({ kind }) => {
    const because = guardedBecause[kind]
    return because === undefined ? [] : [say`${kind}: ${because}`]
  })
}
