import { describe, expect, it } from 'vitest'
import { incidentKinds, isGuarded } from '../../src/domain/incident.ts'

describe('incidents that many at once pass by', () => {
  // A20
  it('are those that repeat their damage when they are run again as they are', () => {
    expect(incidentKinds.filter((kind) => isGuarded(kind, {}))).toEqual([
      'poison_message',
      'crash_loop',
      'result_invalid',
      'settlement_refused',
    ])
  })

  // A20
  it('are taken when their kind or their keys are named', () => {
    expect(isGuarded('crash_loop', { incidentKinds: ['crash_loop'] })).toBe(false)
    expect(isGuarded('crash_loop', { incidentKinds: ['poison_message'] })).toBe(true)
    expect(isGuarded('crash_loop', { keys: [7] })).toBe(false)
  })
})
