/** Those that did not change, one by one; where many share a reason, one line for all of them. */
import type { Applied } from '../../domain/resolution.ts'
import type { Paint } from '../../terminal/paint.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { thousands } from '../../terminal/time.ts'

interface Group {
  word: 'skipped' | 'failed'
  /** Without what names the job. */
  why: string
  count: number
  /** The first of them, in the order that they came. */
  first: { jobKey: number; why: string }[]
}

/** So many of one reason are told one by one; of more, so many keys. */
const mostAlone = 3
const mostKeys = 5
const mostReasons = 1_000
const mostLines = 20

export class Unchanged {
  readonly #groups = new Map<string, Group>()
  #count = 0

  add({ status, jobKey, why }: Pick<Applied, 'status' | 'jobKey' | 'why'>): void {
    if (status === 'changed') return
    this.#count += 1
    const word = status === 'skipped' ? 'skipped' : 'failed'
    const shared = why.replace(`job ${jobKey} `, 'it ').replace(`no job ${jobKey}`, 'no such job')
    const group = this.#groups.get(word + shared) ?? this.#begin(word, shared)
    if (!group) return
    group.count += 1
    if (group.first.length < mostKeys) group.first.push({ jobKey, why })
  }

  lines({ dim, red }: Paint): readonly Safe[] {
    const lines: Safe[] = []
    let told = 0
    for (const { word, why, count, first } of this.#groups.values()) {
      const isMany = count > mostAlone
      if (lines.length + (isMany ? 1 : count) > mostLines) break
      const painted = word === 'skipped' ? dim(say`${word}`) : red(say`${word}`)
      const keys = [...first.map(({ jobKey }) => jobKey), ...(count > mostKeys ? ['…'] : [])]
      if (isMany) lines.push(say`${painted} ${thousands(count)}  ${why} ${dim(say`(${joined(keys, ', ')})`)}`)
      else for (const each of first) lines.push(say`${painted} ${each.jobKey}  ${each.why}`)
      told += count
    }
    const untold = this.#count - told
    return untold === 0
      ? lines
      : [...lines, say`${dim(say`… and ${thousands(untold)} more that did not change`)}`]
  }

  #begin(word: Group['word'], why: string): Group | null {
    if (this.#groups.size >= mostReasons) return null
    const group: Group = { word, why, count: 0, first: [] }
    this.#groups.set(word + why, group)
    return group
  }
}
