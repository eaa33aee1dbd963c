/** Patterns as programs: steps that each take a character, stand at a place, or go on at other steps. */
import { WfError } from '../errors.ts'
import type { PatternNode } from './pattern-syntax.ts'

export type PatternStep =
  /** Takes the character that fits `atom`, a place in `PatternProgram.atoms`. */
  | { do: 'take'; atom: number }
  | { do: 'stand'; at: 'start' | 'end' | 'boundary' | 'inside' }
  | { do: 'fork'; to: number[] }
  | { do: 'match' }

export interface PatternProgram {
  steps: readonly PatternStep[]
  /** Whether a code point fits. */
  atoms: readonly ((codePoint: number) => boolean)[]
  isWord(codePoint: number): boolean
}

/** What one character of text can cost at most. */
const mostSteps = 300

export function programOf(node: PatternNode, ignoreCase: boolean): PatternProgram {
  const flags = ignoreCase ? 'iu' : 'u'
  const steps: PatternStep[] = []
  const sources: string[] = []
  const add = (step: PatternStep): number => {
    if (steps.length >= mostSteps) throw tooLong()
    return steps.push(step) - 1
  }
  const atomOf = (source: string): number => {
    const known = sources.indexOf(source)
    return known >= 0 ? known : sources.push(source) - 1
  }
  emit(node, { add, atomOf, next: () => steps.length })
  add({ do: 'match' })
  return { steps, atoms: sources.map((source) => atomTest(source, flags)), isWord: atomTest('\\w', flags) }
}

interface Emitter {
  add(step: PatternStep): number
  atomOf(source: string): number
  /** Where the next step will stand. */
  next(): number
}

function emit(node: PatternNode, to: Emitter): void {
  switch (node.kind) {
    case 'character':
      to.add({ do: 'take', atom: to.atomOf(node.source) })
      return
    case 'place':
      to.add({ do: 'stand', at: node.at })
      return
    case 'sequence':
      for (const each of node.nodes) emit(each, to)
      return
    case 'choice':
      emitChoice(node.nodes, to)
      return
    case 'repeat':
      emitRepeat(node, to)
  }
}

function emitChoice(nodes: readonly PatternNode[], to: Emitter): void {
  const ends: number[][] = []
  const starts: number[] = []
  to.add({ do: 'fork', to: starts })
  for (const each of nodes) {
    starts.push(to.next())
    emit(each, to)
    const end: number[] = []
    to.add({ do: 'fork', to: end })
    ends.push(end)
  }
  for (const end of ends) end.push(to.next())
}

function emitRepeat({ node, least, most }: Extract<PatternNode, { kind: 'repeat' }>, to: Emitter): void {
  for (let count = 0; count < least; count++) emitCopy(node, to)
  const exits: number[][] = []
  const enter = (): number => {
    const ways: number[] = []
    const at = to.add({ do: 'fork', to: ways })
    ways.push(to.next())
    exits.push(ways)
    return at
  }
  if (most === null) {
    const loop = enter()
    emit(node, to)
    to.add({ do: 'fork', to: [loop] })
  } else {
    for (let count = least; count < most; count++) {
      enter()
      emitCopy(node, to)
    }
  }
  for (const ways of exits) ways.push(to.next())
}

/** A copy of nothing costs a step too, so that no number of them takes long to write down. */
function emitCopy(node: PatternNode, to: Emitter): void {
  const before = to.next()
  emit(node, to)
  if (to.next() === before) to.add({ do: 'fork', to: [before + 1] })
}

/** JavaScript's own word on a single character. */
function atomTest(source: string, flags: string): (codePoint: number) => boolean {
  const form = new RegExp(`^(?:${source})$`, flags)
  const ascii = Array.from({ length: 128 }, (_, codePoint) => form.test(String.fromCodePoint(codePoint)))
  return (codePoint) => ascii[codePoint] ?? form.test(String.fromCodePoint(codePoint))
}

function tooLong(): WfError {
  return new WfError('usage', `the pattern comes to more than ${mostSteps} steps`, {
    hint: 'shorten it, or repeat less: x{200} counts 200 times',
  })
}
