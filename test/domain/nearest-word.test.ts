import { expect, it } from 'vitest'
import { nearestWord } from '../../src/domain/nearest-word.ts'

const words = ['retries', 'backoff', 'timeout', 'run']

it.each([
  ['retires', 'retries'],
  ['RETRIES', 'retries'],
  ['backof', 'backoff'],
  ['time_out', 'timeout'],
  ['runn', 'run'],
])('%s was probably meant to be %s', (word, meant) => {
  expect(nearestWord(word, words)).toBe(meant)
})

it.each(['', 'x', 'concurrency', 'toString'])('%j is no slip of any of them', (word) => {
  expect(nearestWord(word, words)).toBeNull()
})

it('nothing is near where there are no words', () => {
  expect(nearestWord('run', [])).toBeNull()
})
