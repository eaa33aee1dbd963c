import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

describe('a name or key that is not there', () => {
  it('is answered with a similar name, or with where the keys are', async () => {
    const store = await seededStore()
    const [failed = 0] = await store.raised(1)
    const dead = await store.dead()
    const { location } = store
    const wf = (...args: readonly string[]) => cli(args, { store: location })
    await wf('types', 'pause', 'mail')
    const double = (key: number) => `${key}${key}`
    const asked: readonly (readonly [readonly string[], string])[] = [
      // Before a change is recorded: `incidents resolve` below records one, of a job that is not there.
      [['audit', 'show', '11'], 'the newest is operation 1'],
      [['undo', '11'], 'the newest is operation 1'],
      [['jobs', 'show', double(failed)], `the newest job is ${dead}`],
      [['incidents', 'show', double(failed)], `the newest job is ${dead}`],
      [['incidents', 'resolve', double(failed)], `the newest job is ${dead}`],
      [['idempotency', 'show', double(failed)], `the newest job is ${dead}`],
      [['dlq', 'show', double(dead)], 'wf dlq list --closed shows them all'],
      [['dlq', 'show', String(failed)], `wf jobs explain ${failed}: the job is failed`],
      [['types', 'pause', 'mial'], 'did you mean mail?'],
      [['workers', 'drain', 'w#11'], 'did you mean w#1?'],
      [['workers', 'release', 'w#11'], 'did you mean w#1?'],
      [['incidents', 'list', '--type', 'mial'], 'did you mean mail?'],
      [['jobs', 'list', '--worker', 'w#11'], 'did you mean w#1?'],
      [['dashboard', '--screen', 'job'], 'did you mean jobs?'],
      [['jobs', 'cancel', '1', '--dry'], 'did you mean --dry-run?'],
    ]
    const told: (readonly [readonly string[], string])[] = []
    for (const [args] of asked) told.push([args, (await wf(...args)).err])
    expect(told.map(([args, err], index) => [args, err.includes(asked[index]?.[1] ?? '') || err])).toEqual(
      asked.map(([args]) => [args, true]),
    )
  })
})
