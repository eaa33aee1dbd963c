/**
 * Regular expressions that may come from anybody and meet any text: instead of trying one way after the other, all ways
 * are followed at once, so that the time is that of the text's length times the pattern's, and no text makes it grow.
 * Ways that were met before are remembered, as far as a bound allows.
 */
import { WfError } from '../errors.ts'
import { programOf, type PatternProgram } from './pattern-program.ts'
import { parsePattern } from './pattern-syntax.ts'

const longestPattern = 500
/** Answers kept; more are forgotten and found again. */
const mostRemembered = 5_000

type Before = 'start' | 'word' | 'other'
type After = 'end' | 'word' | 'other'

interface Standing {
  /** Steps at which some way stands, ascending; the first is always among them, for a match may begin anywhere. */
  at: readonly number[]
  before: Before
  /** By the next code point. */
  next: Map<number, Standing | 'match'>
}

/** Whether a text has a part that fits. Throws WfError `usage`. */
export function compilePattern(source: string, ignoreCase = false): (text: string) => boolean {
  if (source.length > longestPattern)
    throw new WfError('usage', `the pattern has more than ${longestPattern} characters`)
  return searcher(programOf(parsePattern(source), ignoreCase))
}

function searcher(program: PatternProgram): (text: string) => boolean {
  let known = new Map<string, Standing>()
  let remembered = 0
  const standing = (at: readonly number[], before: Before): Standing => {
    const name = `${before} ${at.join(' ')}`
    const found = known.get(name) ?? { at, before, next: new Map() }
    known.set(name, found)
    return found
  }
  const step = (from: Standing, codePoint: number): Standing | 'match' => {
    const kind = program.isWord(codePoint) ? 'word' : 'other'
    const reached = follow(program, from, kind)
    const next = reached === 'match' ? 'match' : standing(taken(program, reached, codePoint), kind)
    if (++remembered > mostRemembered) {
      known = new Map()
      remembered = 0
      if (next !== 'match') next.next.clear()
    } else {
      from.next.set(codePoint, next)
    }
    return next
  }
  return (text) => {
    let now = standing([0], 'start')
    for (let index = 0; index < text.length; ) {
      const codePoint = text.codePointAt(index) ?? 0
      const next = now.next.get(codePoint) ?? step(now, codePoint)
      if (next === 'match') return true
      now = next
      index += codePoint > 0xffff ? 2 : 1
    }
    return follow(program, now, 'end') === 'match'
  }
}

/** The steps that take a character, reached from where the ways stand without taking any. */
function follow(
  { steps }: PatternProgram,
  { at, before }: Standing,
  after: After,
): readonly number[] | 'match' {
  const seen = new Uint8Array(steps.length)
  const open = [...at]
  const takes: number[] = []
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen[index] === 1) continue
    seen[index] = 1
    const step = steps[index]
    if (step?.do === 'match') return 'match'
    if (step?.do === 'take') takes.push(index)
    else if (step?.do === 'fork') open.push(...step.to)
    else if (step?.do === 'stand' && holds(step.at, before, after)) open.push(index + 1)
  }
  return takes
}

function holds(place: 'start' | 'end' | 'boundary' | 'inside', before: Before, after: After): boolean {
  if (place === 'start') return before === 'start'
  if (place === 'end') return after === 'end'
  return ((before === 'word') !== (after === 'word')) === (place === 'boundary')
}

function taken(
  { steps, atoms }: PatternProgram,
  takes: readonly number[],
  codePoint: number,
): readonly number[] {
  const next = takes.filter((index) => {
    const step = steps[index]
    return step?.do === 'take' && atoms[step.atom]?.(codePoint) === true
  })
  return [...new Set([0, ...next.map((index) => index + 1)])].sort((a, b) => a - b)
}
