import { describe, expect, it } from 'vitest'
import { checkStepName, checkStepResult, isUnknown, stepLimits } from '../../src/domain/step.ts'

describe('a step', () => {
  // A30
  it('has an unknown outcome when its attempt is over and stored no result', () => {
    const open = { completedAt: null, attempt: 2 }
    expect(isUnknown(open, { state: 'running', attempt: 2 })).toBe(false)
    expect(isUnknown(open, { state: 'running', attempt: 3 })).toBe(true)
    expect(isUnknown(open, { state: 'waiting', attempt: 2 })).toBe(true)
    expect(isUnknown({ ...open, completedAt: 0 }, { state: 'failed', attempt: 2 })).toBe(false)
  })

  it('has a name of 1 to 200 characters, and a result of at most 256 KiB', () => {
    for (const name of ['x', '漢'.repeat(stepLimits.nameCharacters)]) checkStepName(name)
    expect(() => checkStepName('')).toThrow(/0 characters; 1 to 200/)
    expect(() => checkStepName('x'.repeat(201))).toThrow(/201 characters/)
    checkStepResult('charge', 256 * 1024)
    expect(() => checkStepResult('charge', 256 * 1024 + 1)).toThrow(
      /"charge" has 262145 bytes; at most 262144/,
    )
  })
})
