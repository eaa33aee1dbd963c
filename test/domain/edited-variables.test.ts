import { describe, expect, it } from 'vitest'
import { changesOfEdit, editableVariables } from '../../src/domain/edited-variables.ts'

const stored = JSON.stringify({
  amount: 7,
  password: 'hunter2',
  card: { token: 'tok_1', city: 'Bonn' },
  note: 'x',
})

describe('variables edited as a whole', () => {
  const given = editableVariables(stored, false)

  it('stand there without their secrets, which keep what they were when they are left so', () => {
    expect(given.text).not.toMatch(/hunter2|tok_1/)
    expect(changesOfEdit(given.text, given)).toEqual([])
    expect(changesOfEdit(given.text.replace('Bonn', 'Köln'), given)).toEqual([
      { path: 'card.city', value: 'Köln', add: false },
    ])
  })

  it('take a new secret, and refuse a mask that would be stored', () => {
    expect(changesOfEdit(given.text.replace('"password": "***"', '"password": "new"'), given)).toEqual([
      { path: 'password', value: 'new', add: false },
    ])
    expect(() => changesOfEdit(given.text.replace('"x"', '"***"'), given)).toThrow(
      /note would be stored with \*\*\*/,
    )
  })

  it('lose what was taken out of the text', () => {
    const changes = changesOfEdit(given.text.replace(/,\s*"note": "x"/, ''), given)
    expect(changes).toEqual([{ path: 'note', value: null, remove: true, add: false }])
  })

  it('are refused where they are no object', () => {
    expect(() => changesOfEdit('[1]', given)).toThrow()
    expect(() => changesOfEdit('{', given)).toThrow()
  })

  it('stand there as they are for who asked for them', () => {
    expect(editableVariables(stored, true)).toMatchObject({ isMasked: false, shown: { password: 'hunter2' } })
  })
})
