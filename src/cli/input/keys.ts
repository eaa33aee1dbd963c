/** Keys of jobs as they are given to a command. */
import { WfError } from '../../errors.ts'
import { parseKey, parseKeys } from '../../domain/selector.ts'

/** Keys as typed, `-` replaced by those on standard input; each once, in order. */
export async function readKeys(words: readonly string[]): Promise<readonly number[]> {
  const keys = new Set<number>()
  for (const word of words) {
    for (const key of word === '-' ? await keysOnInput() : [parseKey(word)]) keys.add(key)
  }
  return [...keys]
}

async function keysOnInput(): Promise<readonly number[]> {
  const { longestDocument, openSource, readSource } = await import('./input.ts')
  const refuse = (name: string, size: string) =>
    new WfError('usage', `${name} has ${size}: too many keys at once`, { hint: 'give them in parts' })
  return parseKeys(await readSource(await openSource('-'), { mostBytes: longestDocument, refuse }))
}
