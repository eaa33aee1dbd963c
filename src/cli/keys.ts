/** Keys of jobs as they are given to a command. */
import { parseKey, parseKeys } from '../domain/selector.ts'

/** Keys as typed, `-` replaced by those on standard input; each once, in order. */
export async function readKeys(words: readonly string[]): Promise<readonly number[]> {
  const keys = new Set<number>()
  for (const word of words) {
    for (const key of word === '-' ? await keysOnInput() : [parseKey(word)]) keys.add(key)
  }
  return [...keys]
}

async function keysOnInput(): Promise<readonly number[]> {
  const { openSource, readSource } = await import('./input.ts')
  return parseKeys(await readSource(await openSource('-')))
}
