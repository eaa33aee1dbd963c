import { expect, it } from 'vitest'
import { didYouMean, nearestWord, nearWords } from '../../src/text/suggest.ts'

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

it('the only word that begins so was meant, and of unknown words only', () => {
  expect(nearWords(['dry', 're', 'yes'], ['dry-run', 'yes', 'retries', 'reason'])).toEqual(['dry-run'])
  expect(nearWords(['d'], ['dry-run'])).toEqual([])
  expect(nearWords(['chrage', 'chagre'], ['charge'])).toEqual(['charge'])
})

it('what was meant is asked before what is said anyway', () => {
  expect(didYouMean(['a', 'b'], 'all are listed')).toBe('did you mean a and b? all are listed')
  expect(didYouMean(['a'])).toBe('did you mean a?')
  expect(didYouMean([], 'all are listed')).toBe('all are listed')
})
