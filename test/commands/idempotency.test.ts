import { stepsOf } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { Fence, Job } from '../../src/domain/job.ts'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'
import { outcomes } from '../support/test-engine.ts'

const fenceOf = ({ key, attempt, workerId }: Job): Fence => ({
  jobKey: key,
  attempt,
  workerId: workerId ?? '',
})

/** A failed job that has charged, and may have sent a mail. */
async function scene() {
  const made = await seededStore()
  const { location, store, add, claim, settle } = made
  const key = await add()
  const [job] = await claim()
  if (!job) throw new Error('not claimed')
  await store.beginStep(fenceOf(job), 'charge', store.now())
  await store.completeStep(fenceOf(job), 'charge', '{"id":"ch_1","token":"hunter2-secret"}', store.now())
  await store.beginStep(fenceOf(job), 'mail', store.now())
  await settle(job, outcomes.raised('a person must look'))
  const wf = (...args: readonly string[]) => cli(args, { store: location, env: { WF_USER: 'ada' } })
  return { ...made, key, wf }
}

describe('wf idempotency', () => {
  // A30
  it('shows what was done with its result, and what is in doubt; jobs show and the incident name it', async () => {
    const { key, wf } = await scene()
    const shown = await wf('idempotency', 'show', String(key))
    expect(shown.out).toMatch(/charge +done/)
    expect(shown.out).toMatch(/mail +unknown .*it may have taken effect/)
    expect(shown.out).toContain('"id": "ch_1"')
    expect(shown.out).not.toContain('hunter2')
    const json = (await wf('idempotency', 'show', String(key), '--json')).json<{ steps: unknown[] }>()
    expect(json).toMatchObject({
      ...{ key, effectsEpoch: 0 },
      steps: [
        { step: 'charge', outcome: 'done', result: { id: 'ch_1' }, unknowns: 0 },
        { step: 'mail', outcome: 'unknown', result: null },
      ],
    })
    for (const page of ['jobs', 'incidents']) {
      const { out } = await wf(page, 'show', String(key))
      expect(out).toMatch(/unknown +mail: may have taken effect, or not/)
      expect(out).toMatch(/charge +done/)
      const { steps } = (await wf(page, 'show', String(key), '--json')).json<{ steps: unknown[] }>()
      expect(steps).toMatchObject([{ step: 'charge' }, { step: 'mail', outcome: 'unknown' }])
      const next = out.slice(out.indexOf('\nnext\n'))
      expect(next).toMatch(
        new RegExp(
          `wf idempotency show ${key} --store \\S+ +whether mail took effect is not known: the other side knows\n`,
        ),
      )
      expect(next).toMatch(
        /incidents resolve .* it runs again; mail may have taken effect: unless its handler verifies that, it is done again/,
      )
    }
  })

  it('lists the steps of all jobs, and those in doubt alone', async () => {
    const { key, wf } = await scene()
    const all = (await wf('idempotency', 'list', '--json')).json<{ items: { step: string }[] }>()
    expect(all.items.map(({ step }) => step)).toEqual(['mail', 'charge'])
    const unknown = await wf('idempotency', 'list', '--unknown')
    expect(unknown.out).toMatch(new RegExp(`KEY .*\\n *${key} +mail +mail +unknown`))
    expect((await wf('idempotency', 'list', '--type', 'other')).err).toContain('no steps in /')
    expect(
      (await wf('idempotency', 'list', '--limit', '1', '--json')).json<{ page: { next: string } }>().page
        .next,
    ).toBe(`${key}.mail`)
  })

  it('forgets a step after saying that its effect can repeat, and only where somebody agrees', async () => {
    const { key, store, wf } = await scene()
    const refused = await wf('idempotency', 'forget', String(key), 'charge')
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('an effect that has happened can then happen again')
    expect(refused.err).toContain('--yes')
    const dry = (await wf('idempotency', 'forget', String(key), '--dry-run', '--json')).json()
    expect(dry).toMatchObject({ matched: 2, changed: 2, dryRun: true })
    expect(await stepsOf(store, key)).toHaveLength(2)
    const done = await wf(
      'idempotency',
      'forget',
      String(key),
      'charge',
      'nothing',
      '--yes',
      '--reason',
      'refunded',
    )
    expect(done).toMatchObject({
      code: 0,
      out: `forgotten charge\nskipped nothing  job ${key} has no such step\noperation 1 · this cannot be undone\n`,
    })
    expect(done.err).toContain('can happen twice')
    expect((await wf('jobs', 'show', String(key))).out).toContain('steps forgotten by ada: refunded')
    expect((await wf('idempotency', 'forget', String(key), '--yes', '--json')).json()).toMatchObject({
      changed: 1,
      items: [{ step: 'mail' }],
    })
    expect(await stepsOf(store, key)).toEqual([])
    for (const verb of ['show', 'forget']) expect((await wf('idempotency', verb, '4711')).code).toBe(4)
  })

  it.each([
    ['incidents', 'resolve'],
    ['jobs', 'retry'],
    // A30
  ])('%s %s --new-effects makes the effects anew, under another key', async (noun, verb) => {
    const { key, store, wf, claim } = await scene()
    expect((await wf(noun, verb, String(key), '--reason', 'refunded')).code).toBe(0)
    const [same] = await claim()
    if (!same) throw new Error('not claimed')
    expect([same.effectsEpoch, (await stepsOf(store, key)).length]).toEqual([0, 2])

    const other = await scene()
    expect((await other.wf(noun, verb, String(other.key), '--new-effects')).code).toBe(0)
    const [anew] = await other.claim()
    expect([anew?.effectsEpoch, await stepsOf(other.store, other.key)]).toEqual([1, []])
    const { out } = await other.wf('jobs', 'show', String(other.key))
    expect(out).toContain('new effects, epoch 1')
    expect(out).toMatch(/forgot .*charge.*mail/)
  })
})
