/** The syntax of patterns: JavaScript's regular expressions in their Unicode form, without what looks around or back. */
import { WfError } from '../errors.ts'
import { preview } from './preview.ts'

export type PatternNode =
  /** One character: the source of what it must be, such as `a`, `.`, `\d`, `[^a-z]`. */
  | { kind: 'character'; source: string }
  | { kind: 'place'; at: 'start' | 'end' | 'boundary' | 'inside' }
  | { kind: 'sequence'; nodes: readonly PatternNode[] }
  | { kind: 'choice'; nodes: readonly PatternNode[] }
  /** `most` null: without end. */
  | { kind: 'repeat'; node: PatternNode; least: number; most: number | null }

const atoms =
  /(?<place>\^|\$|\\[bB])|(?<character>\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^1-9k])|\[(?:[^\]\\]|\\[\s\S])*\]|[^\\()|[\]*+?{}^$])/uy
const groupStart = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/uy
const quantifier = /(?:(?<sign>[*+?])|\{(?<least>\d+)(?<comma>,)?(?<most>\d*)\})\??/uy
const places = { '^': 'start', $: 'end', '\\b': 'boundary', '\\B': 'inside' } as const

/** Throws WfError `usage` for what is no such expression. */
export function parsePattern(source: string): PatternNode {
  try {
    new RegExp(source, 'u')
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*\/u: /s, '') : 'unreadable'
    throw new WfError('usage', `/${preview(source, 80).slice(1, -1)}/ is not a regular expression: ${why}`, {
      hint: 'without the slashes it is searched for as it stands',
    })
  }
  return new Reader(source).whole()
}

/** What it reads is a valid expression: only what this leaves out is still to be refused. */
class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  whole(): PatternNode {
    const node = this.#choice()
    if (this.#at < this.#source.length) throw this.#unsupported()
    return node
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      nodes.push(this.#sequence())
    }
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes }
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? ''))
      nodes.push(this.#repeated())
    return { kind: 'sequence', nodes }
  }

  #repeated(): PatternNode {
    const node = this.#atom()
    const { sign, least, comma, most } = this.#match(quantifier)?.groups ?? {}
    if (sign !== undefined)
      return { kind: 'repeat', node, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : null }
    if (least === undefined) return node
    const end = most === '' ? null : Number(most)
    return { kind: 'repeat', node, least: Number(least), most: comma === undefined ? Number(least) : end }
  }

  #atom(): PatternNode {
    const found = this.#match(atoms)?.groups
    if (found?.['place'] !== undefined)
      return { kind: 'place', at: places[found['place'] as keyof typeof places] }
    if (found?.['character'] !== undefined) return { kind: 'character', source: found['character'] }
    if (this.#match(groupStart) === null) throw this.#unsupported()
    const node = this.#choice()
    this.#at += 1
    return node
  }

  #match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at
    const found = form.exec(this.#source)
    if (found) this.#at = form.lastIndex
    return found
  }

  #unsupported(): WfError {
    return new WfError(
      'usage',
      `the pattern cannot have ${preview(this.#source.slice(this.#at, this.#at + 4), 20)}: it may not look around or back`,
      {
        hint: 'groups, |, classes, *, +, ?, {n,m}, ^, $ and \\b are there; such patterns never take long',
      },
    )
  }
}
