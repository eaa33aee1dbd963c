import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, startCli, type CliEnd } from '../support/cli.ts'
import { eventually } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

interface Causes {
  total: number
  incidents: number
  items: readonly {
    fingerprint: string
    count: number
    code: string | null
    message: string
    isNew: boolean | null
    common: readonly { path: string; value: unknown; where: string }[]
    command: string
  }[]
}

interface Verified {
  matched: number
  changed: number
  skipped: number
  failed: number
  left: number
  operation: number
  verification: {
    canaries: readonly number[] | null
    completed: number
    failedAgain: number
    hasGoneOn: boolean
    ended: string
    unfinished: readonly { held: { by: string } | null }[]
  }
  error?: { code: string; message: string }
}

/** A gateway that times out in one region as long as a file is there, and orders that can never be charged. */
async function outage({ region = 12, broken = 4, fine = 6 } = {}) {
  const scene = await Scene.open()
  const down = join(scene.folder, 'down')
  writeFileSync(down, '')
  const run = `
    const { existsSync } = await import('node:fs')
    mark(job.key + ' ' + job.attempt)
    if (variables.amount < 0) throw new Error('order ' + job.key + ' has a negative amount')
    if (variables.region === 'eu' && existsSync(${JSON.stringify(down)})) throw Object.assign(new Error('connect ETIMEDOUT 10.0.0.' + job.key), { code: 'ETIMEDOUT' })
    if (variables.region === 'eu' && existsSync(${JSON.stringify(`${down}-slow`)})) await sleep(600_000)`
  const handler = scene.handler('charge', run, 'retries: 1, concurrency: 20,')
  const inputs = [
    ...Array.from({ length: fine }, (_, order) => ({
      type: 'charge',
      variables: { order, region: 'us', amount: 3 },
    })),
    ...Array.from({ length: region }, (_, order) => ({
      type: 'charge',
      variables: { order: order + 50, region: 'eu', amount: 5 },
    })),
    ...Array.from({ length: broken }, (_, order) => ({
      type: 'charge',
      variables: { order: order + 90, region: 'us', amount: -1 },
    })),
  ]
  const keys = await scene.enqueue(...inputs)
  const of = (wanted: (input: (typeof inputs)[number]) => boolean) =>
    keys.filter((_, index) =>
      wanted(inputs[index] ?? { type: '', variables: { order: 0, region: '', amount: 0 } }),
    )
  await scene.worker([handler, '--until-empty', '--inline']).exits(10)
  return {
    scene,
    down,
    mend: () => rmSync(down),
    europe: of(({ variables }) => variables.region === 'eu'),
    others: of(({ variables }) => variables.region !== 'eu'),
    startWorker: async () => {
      const worker = scene.worker([handler])
      await worker.says(/working on charge/)
      return worker
    },
    wf: (line: string): Promise<CliEnd> => cli([...line.split(' ').slice(1), '--json'], { store: scene.db }),
    states: async (list: readonly number[]) => [
      ...new Set(await Promise.all(list.map(async (key) => (await scene.job(key)).state))),
    ],
  }
}

/** The command that a cause names, with more behind it. */
const commandOf = (causes: Causes, code: string) =>
  (causes.items.find((cause) => cause.code === code)?.command ?? '').replace(/ --store .*/, '')

describe('an outage, from the first command to the proof', () => {
  it('is found, tried on three jobs, mended in bulk and proven in three commands, and touches no other job', async () => {
    const { wf, mend, europe, others, startWorker, states, scene } = await outage()
    const before = await Promise.all(others.map((key) => scene.detail(key)))
    mend()
    const worker = await startWorker()

    const causes = (await wf('wf incidents list --by cause')).json<Causes>()
    expect(causes).toMatchObject({ total: 2, incidents: 16 })
    expect(causes.items[0]).toMatchObject({
      count: 12,
      code: 'ETIMEDOUT',
      message: 'connect ETIMEDOUT <n>',
      isNew: false,
    })
    expect(causes.items[0]?.common.map(({ where }) => where)).toContain('variables.region=eu')

    const dry = (await wf(`${commandOf(causes, 'ETIMEDOUT')} --dry-run`)).json<Verified>()
    expect([dry.matched, dry.changed]).toEqual([12, 12])

    const end = await wf(`${commandOf(causes, 'ETIMEDOUT')} --canary 3 --verify 4m`)
    const proof = end.json<Verified>()
    expect([end.code, proof.matched, proof.changed, proof.skipped, proof.failed, proof.left]).toEqual([
      0, 12, 12, 0, 0, 0,
    ])
    expect(proof.verification).toMatchObject({ completed: 3, failedAgain: 0, hasGoneOn: true, ended: 'all' })
    expect(proof.verification.canaries).toHaveLength(3)
    for (const key of europe) await scene.until(key, 'completed')
    expect(await Promise.all(others.map((key) => scene.detail(key)))).toEqual(before)
    expect(await states(europe)).toEqual(['completed'])
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  it('that goes on is noticed by the first jobs that are tried: exit 9, and the others stay as they were', async () => {
    const { wf, europe, startWorker, scene } = await outage()
    const worker = await startWorker()
    const causes = (await wf('wf incidents list --by cause')).json<Causes>()
    const end = await wf(`${commandOf(causes, 'ETIMEDOUT')} --canary 3 --verify 4m`)
    const told = end.json<Verified>()
    expect([end.code, told.error?.code, told.changed, told.left]).toEqual([9, 'failed_again', 3, 9])
    expect(told.verification.hasGoneOn).toBe(false)
    const attempts = await Promise.all(europe.map(async (key) => (await scene.job(key)).attempt))
    expect(attempts.filter((attempt) => attempt === 1)).toHaveLength(9)
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  it('without a worker nothing is touched, and it is said at once', async () => {
    const { wf, europe, states } = await outage()
    const end = await wf('wf incidents resolve --code ETIMEDOUT --canary 3 --verify 10m')
    const told = end.json<Verified>()
    expect([end.code, told.error?.code, told.changed, told.left]).toEqual([7, 'not_verified', 0, 12])
    expect(told.error?.message).toContain('no worker for type charge is running')
    expect(await states(europe)).toEqual(['failed'])
  })

  it('with jobs that do not come to rest in time is not proven: exit 7, and the others stay as they were', async () => {
    const { wf, down, mend, startWorker } = await outage({ region: 5 })
    mend()
    writeFileSync(`${down}-slow`, '')
    const worker = await startWorker()
    const end = await wf('wf incidents resolve --code ETIMEDOUT --canary 2 --verify 1s')
    const told = end.json<Verified>()
    expect([end.code, told.error?.code, told.changed, told.left]).toEqual([7, 'not_verified', 2, 3])
    expect(told.verification).toMatchObject({ ended: 'timeout', hasGoneOn: false })
    worker.killAll()
    await worker.ended
  })

  it('is watched for all at once, with what failed again by cause', async () => {
    const { wf, mend, startWorker, scene, europe, others } = await outage()
    mend()
    const worker = await startWorker()
    const end = await cli(['incidents', 'resolve', '--verify', '4m', '--yes'], { store: scene.db })
    expect(end.code).toBe(9)
    expect(end.out).toMatch(/after .*: 12 of 16 jobs completed, 4 failed again, 0 not finished/)
    expect(end.out).toMatch(/failed again 4 of charge, the same cause: order \d+ has a negative amount/)
    expect(end.err).toContain('the cause is still there: 4 jobs failed again')
    for (const key of europe) expect((await scene.job(key)).state).toBe('completed')
    expect(others.length).toBe(10)
    expect((await wf('wf incidents resolve --code NOTHING --canary 3 --verify 10s')).code).toBe(0)
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  it('is left at Ctrl-C with the first jobs resolved and the others as they were, which is said', async () => {
    const { down, mend, startWorker, scene, europe, states } = await outage({ region: 5 })
    mend()
    writeFileSync(`${down}-slow`, '')
    const worker = await startWorker()
    const resolving = startCli(
      ['incidents', 'resolve', '--code', 'ETIMEDOUT', '--canary', '2', '--verify', '5m'],
      { store: scene.db },
    )
    await eventually(async () => (await scene.counts()).running === 2, 'the first two are at work')
    resolving.signal('SIGINT')
    const end = await resolving.ended
    expect(end.code).toBe(130)
    expect(end.out).toContain(
      '2 jobs resolved  matched 2 = 2 changed + 0 skipped + 0 failed\n3 jobs left as they were',
    )
    expect(end.err).toContain('stopped: 2 jobs resolved; 3 jobs left as they were')
    worker.killAll()
    await worker.ended
    expect((await states(europe)).sort()).toEqual(['failed', 'running'])
  })

  it('that was judged wrongly is taken back: what was resolved is again as it was', async () => {
    const { wf, europe, others, scene } = await outage()
    const before = await Promise.all([...europe, ...others].map((key) => scene.detail(key)))
    const causes = (await wf('wf incidents list --by cause')).json<Causes>()
    const done = (await wf(`${commandOf(causes, 'ETIMEDOUT')} --reason slip`)).json<Verified>()
    expect(done.changed).toBe(12)
    const undone = await wf('wf undo --yes')
    expect([undone.code, undone.json<Verified>().changed]).toEqual([0, 12])
    const after = await Promise.all([...europe, ...others].map((key) => scene.detail(key)))
    for (const [index, { job, incidents }] of after.entries()) {
      expect(job).toEqual(before[index]?.job)
      expect(incidents).toEqual(before[index]?.incidents)
    }
    expect(
      (await wf('wf incidents list --by cause'))
        .json<Causes>()
        .items.map(({ count, fingerprint }) => [fingerprint, count]),
    ).toEqual(causes.items.map(({ count, fingerprint }) => [fingerprint, count]))
  })
})
