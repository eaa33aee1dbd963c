import { describe, expect, it } from 'vitest'
import type { Applied } from '../../../src/domain/resolution.ts'
import { plainPaint } from '../../../src/terminal/paint.ts'
import { Unchanged } from '../../../src/cli/changes/unchanged.ts'

const poison = 'poison_message: its variables cannot succeed as they are'

function told(changes: readonly Pick<Applied, 'status' | 'jobKey' | 'why'>[]): readonly string[] {
  const unchanged = new Unchanged()
  for (const change of changes) unchanged.add(change)
  return unchanged.lines(plainPaint).map(({ text }) => text)
}

const skipped = (count: number, why: (key: number) => string) =>
  Array.from({ length: count }, (_, index) => ({
    status: 'skipped' as const,
    jobKey: index + 1,
    why: why(index + 1),
  }))

describe('what did not change', () => {
  it('is told one by one where few share a reason', () => {
    expect(told([...skipped(3, () => poison), { status: 'changed', jobKey: 9, why: '' }])).toEqual([
      `skipped 1  ${poison}`,
      `skipped 2  ${poison}`,
      `skipped 3  ${poison}`,
    ])
  })

  it('is told in one line where many do, also when each reason names its job', () => {
    const failed = skipped(1_200, (key) => `job ${key} is completed, which is final`).map((each) => ({
      ...each,
      status: 'failed' as const,
    }))
    const gone = skipped(4, (key) => `there is no job ${key}`).map((each) => ({
      ...each,
      status: 'not_found' as const,
    }))
    expect(told([...skipped(5, () => poison), ...failed, ...gone])).toEqual([
      `skipped 5  ${poison} (1, 2, 3, 4, 5)`,
      'failed 1,200  it is completed, which is final (1, 2, 3, 4, 5, …)',
      'failed 4  there is no such job (1, 2, 3, 4)',
    ])
  })

  it('ends after twenty lines, and says how many are untold, however many reasons there are', () => {
    const lines = told(skipped(3_000, (key) => `reason ${key}`))
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('… and 2,980 more that did not change')
  })
})
