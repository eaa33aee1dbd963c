import { declareTypes } from '../support/plans.ts'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/app.ts'
import { systemClock } from '../../src/clock.ts'
import { thousands } from '../../src/terminal/time.ts'
import { countedBytes } from '../../src/text/bytes.ts'
import { defaultSizes } from '../../src/domain/job.ts'
import type { Outcome } from '../../src/domain/outcome.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createEvents } from '../../src/engine/events.ts'
import { seededRandom } from '../../src/random.ts'
import { cli, shell, startCli, type CliEnd } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { canMount, smallDisk } from '../store/faults/support/small-disk.ts'
import { seededStore } from '../support/seeded-store.ts'
import { outcomes, plainPolicy } from '../support/test-engine.ts'

describe('wf enqueue', () => {
  it('makes the store where there is none, says where, and prints the key', async () => {
    const cwd = temporaryDirectory()
    const first = await cli(['enqueue', 'mail', '{"to":"ada"}'], { cwd })
    expect(first).toMatchObject({ code: 0, err: `created the store ${join(cwd, 'wf.db')}\n` })
    expect(first.out).toContain('job 1 enqueued')
    expect(await cli(['enqueue', 'mail', '--ids'], { cwd })).toMatchObject({ code: 0, out: '2\n', err: '' })
    expect((await cli(['enqueue', 'mail', '--json'], { cwd })).json()).toEqual({
      key: 3,
      type: 'mail',
      status: 'created',
    })
  })

  it('takes variables as words, from a file and from standard input', async () => {
    const { location, detail } = await seededStore()
    const file = join(temporaryDirectory(), 'variables.json')
    writeFileSync(file, '\ufeff{ "from": "file" }\n')
    await cli(['enqueue', 'mail', '{"from":"words"}'], { store: location })
    await cli(['enqueue', 'mail', `@${file}`], { store: location })
    await cli(['enqueue', 'mail', '-'], { store: location, input: '{"from":"input"}' })
    expect(
      await Promise.all([1, 2, 3].map(async (key) => JSON.parse((await detail(key)).variables))),
    ).toEqual([{ from: 'words' }, { from: 'file' }, { from: 'input' }])
  })

  it('hands every option on', async () => {
    const { location, detail } = await seededStore()
    const options = [
      '--delay',
      '1h',
      '--priority',
      '-5',
      '--retries',
      '7',
      '--deadline',
      '2h',
      '--idempotency-key',
      'order-1',
    ]
    await cli(['enqueue', 'mail', '{"a":1}', ...options], { store: location })
    await cli(['enqueue', 'mail', '--at', '2030-01-31T09:00:00Z', '--deadline', '2030-02-01T00:00:00Z'], {
      store: location,
    })
    const { job, idempotencyKey } = await detail(1)
    expect(job).toMatchObject({
      state: 'waiting',
      waitReason: 'delay',
      priority: -5,
      retries: 7,
      retriesGiven: true,
    })
    expect(job.runAt - job.createdAt).toBe(3_600_000)
    expect((job.deadlineAt ?? 0) - job.createdAt).toBe(7_200_000)
    expect(idempotencyKey).toBe('order-1')
    expect((await detail(2)).job).toMatchObject({
      runAt: Date.UTC(2030, 0, 31, 9),
      deadlineAt: Date.UTC(2030, 1, 1),
    })
  })

  it('answers the first job for the same key and variables, and refuses other variables naming it', async () => {
    const { location, store } = await seededStore()
    const enqueue = (variables: string) =>
      cli(['enqueue', 'mail', variables, '--idempotency-key', 'k', '--json'], { store: location })
    expect((await enqueue('{"a":1,"b":2}')).json()).toMatchObject({ key: 1, status: 'created' })
    expect((await enqueue('{"b":2,"a":1}')).json()).toMatchObject({ key: 1, status: 'duplicate' })
    const other = await enqueue('{"a":2}')
    expect(other.code).toBe(5)
    expect(other.json()).toMatchObject({ error: { code: 'idempotency_conflict', key: 1 } })
    expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(1)
  })

  it('says how full a type is when its backlog takes no more', async () => {
    const { location, store, add } = await seededStore()
    await declareTypes(
      store,
      [
        {
          type: 'mail',
          timeoutMs: 1_000,
          concurrency: 1,
          retries: 3,
          backlogLimit: 1,
          onExhausted: 'incident',
        },
      ],
      store.now(),
    )
    await add()
    const end = await cli(['enqueue', 'mail'], { store: location })
    expect(end.code).toBe(12)
    expect(end.err).toContain('takes 1 at most')
  })

  it.each([
    ['{"id":9007199254740993}', 'beyond what JavaScript can hold'],
    ['[1]', 'not a JSON object'],
    ['{oops', 'not JSON'],
    ['@/nowhere/at/all.json', 'no such file'],
    // B106
  ])('refuses %s and leaves no store behind', async (variables, why) => {
    const cwd = temporaryDirectory()
    const end = await cli(['enqueue', 'mail', variables], { cwd })
    expect(end.code).toBe(2)
    expect(end.err).toContain(why)
    expect(await cli(['jobs', 'list'], { cwd })).toMatchObject({ code: 3 })
  })

  // B101
  it('refuses bytes that are no UTF-8 instead of storing other characters for them, whatever they are read from', async () => {
    const { location, store } = await seededStore()
    const folder = temporaryDirectory()
    const latin1 = Buffer.from('{"name":"J\u00f6rg"}\n', 'latin1')
    writeFileSync(join(folder, 'one.json'), latin1)
    writeFileSync(
      join(folder, 'many.jsonl'),
      Buffer.concat([Buffer.from('{"name":"J\u00f6rg"}\n'), latin1, Buffer.from('{}\n')]),
    )
    const told = async (line: string) => {
      const end = await shell(line, { cwd: folder, env: { WF_STORE: location } })
      return [end.code, /not UTF-8 text/.test(end.err)]
    }
    expect(await told('wf enqueue mail @one.json')).toEqual([2, true])
    expect(await told('wf enqueue mail - < one.json')).toEqual([2, true])
    expect(await told('wf enqueue mail --bulk many.jsonl')).toEqual([6, true])
    expect(await told('wf types pause - --reason r < one.json')).toEqual([2, true])
    const { items } = await store.jobs({}, { limit: 10 })
    const kept = await Promise.all(items.map(async ({ key }) => (await store.job(key))?.variables))
    expect(kept).toEqual(['{}', '{"name":"J\u00f6rg"}'])
  })

  // B137
  it('takes no directory on standard input for an empty file', async () => {
    const { location, store } = await seededStore()
    for (const line of ['wf enqueue mail -', 'wf enqueue mail --bulk -', 'wf jobs cancel -']) {
      const end = await shell(`${line} < /tmp`, { env: { WF_STORE: location } })
      expect([line, end.code, end.err]).toEqual([
        line,
        2,
        expect.stringContaining('standard input is a directory'),
      ])
    }
    expect((await store.jobs({}, { limit: 1 })).items).toEqual([])
  })

  // B107
  it('keeps __proto__ as data, in variables and as a type', async () => {
    const { location, detail } = await seededStore()
    const text = '{"__proto__":{"retries":999,"polluted":1},"constructor":{"prototype":{"x":1}}}'
    const types = ['__proto__', 'toString', 'hasOwnProperty']
    for (const type of types) expect((await cli(['enqueue', type, text], { store: location })).code).toBe(0)
    expect((await detail(1)).variables).toBe(text)
    const shown = await cli(['jobs', 'show', '1', '--json'], { store: location })
    expect(shown.out).toContain('"polluted": 1')
    const listed = await cli(['types', 'list', '--ids'], { store: location })
    expect(listed.out.trim().split('\n').sort()).toEqual([...types].sort())
  })

  it.each([
    ['by default', {}, 1_048_576],
    ['as WF_MAX_VARIABLES says', { WF_MAX_VARIABLES: '2KiB' }, 2_048],
    // B076
  ])(
    'takes variables up to the limit in bytes, not in characters, and says size, limit and setting beyond: %s',
    async (_, env, limit) => {
      const { location, store } = await seededStore()
      const folder = temporaryDirectory()
      const enqueue = async (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return cli(['enqueue', 'mail', `@${join(folder, name)}`], { store: location, env })
      }
      const room = limit - '{"a":""}'.length
      expect((await enqueue('fits', `{ "a":  "${'x'.repeat(room)}" }\n`)).code).toBe(0)
      const over = await enqueue('over', `{"a":"${'x'.repeat(room + 1)}"}`)
      expect([over.code, over.err]).toEqual([
        2,
        expect.stringContaining(
          `has ${countedBytes(limit + 1)} of JSON, and limits.variables (WF_MAX_VARIABLES) allows`,
        ),
      ])
      expect((await enqueue('wide', `{"a":"${'é'.repeat(room / 2 + 1)}"}`)).code).toBe(2)
      expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(1)
    },
  )

  // B076
  it('takes the limit from wf.config.json, for --bulk and --set too', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'wf.config.json'), '{ "limits": { "variables": "1KiB" } }')
    const run = (args: readonly string[], input = '') => cli(args, { cwd, input })
    const text = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
    const bulk = await run(
      ['enqueue', 'mail', '--bulk', '--json'],
      `${text(1_024)}\n${text(1_025)}\n${text(3_000)}\n`,
    )
    expect(bulk.json()).toMatchObject({ enqueued: 1, refused: 2, refusals: [{ line: 2 }, { line: 3 }] })
    expect(bulk.out.match(/limits\.variables \(WF_MAX_VARIABLES\)/g)?.length).toBeGreaterThan(1)
    await run(['enqueue', 'mail', '{"a":1}', '--delay', '1h'])
    for (const dryRun of [['--dry-run'], []]) {
      const set = await run(['jobs', 'retry', '2', '--set', `a=${'y'.repeat(1_100)}`, ...dryRun])
      expect([set.code, set.err]).toEqual([
        5,
        expect.stringContaining('limits.variables (WF_MAX_VARIABLES) allows 1,024 bytes'),
      ])
    }
  })

  // B076
  it('refuses 600 MB by the size of the file, or when too much of a stream was read, in bounded memory', async () => {
    const { location } = await seededStore()
    const folder = temporaryDirectory()
    const [big, report, used] = [join(folder, 'big.json'), join(folder, 'report.mjs'), join(folder, 'used')]
    writeFileSync(big, '')
    truncateSync(big, 600 * 1024 * 1024)
    writeFileSync(
      report,
      `import { readFileSync, truncateSync, writeFileSync } from 'node:fs'\nprocess.on('exit', () => writeFileSync(${JSON.stringify(used)}, String(process.resourceUsage().maxRSS)))`,
    )
    const env = { NODE_OPTIONS: `--import ${report}` }
    const ends: CliEnd[] = []
    for (const line of [
      `wf enqueue mail @${big}`,
      `wf enqueue mail - <${big}`,
      `cat ${big} | wf enqueue mail -`,
    ]) {
      ends.push(await shell(`${line} --store ${location}`, { env }))
      expect([line, Number(readFileSync(used, 'utf8')) < 250 * 1024]).toEqual([line, true])
    }
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2])
    expect(ends[0]?.err).toContain(
      'has 629,145,600 bytes, and limits.variables (WF_MAX_VARIABLES) allows variables of 1,048,576 bytes',
    )
    for (const { err } of ends.slice(1))
      expect(err).toContain('standard input has more than 16,777,216 bytes, and limits.variables')
  })
})

describe('wf enqueue --bulk', () => {
  it('makes a job of each line, names the lines that are refused, and is then partly done', async () => {
    const { location, store } = await seededStore()
    const lines = [
      '{"n":1}',
      '',
      'oops',
      '{"n":2}',
      '[3]',
      `{"n":"${'x'.repeat(defaultSizes.variablesBytes)}"}`,
      '{"n":4}',
    ]
    const end = await cli(['enqueue', 'mail', '--bulk', '--json'], {
      store: location,
      input: `${lines.join('\n')}\n`,
    })
    expect(end.code).toBe(6)
    const sum = end.json<{ refusals: { line: number }[] }>()
    expect(sum).toMatchObject({
      type: 'mail',
      lines: 6,
      enqueued: 3,
      duplicates: 0,
      refused: 3,
      firstKey: 1,
      lastKey: 3,
      error: { code: 'partly_done' },
    })
    expect(sum.refusals.map(({ line }) => line)).toEqual([3, 5, 6])
    expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(3)
  })

  it('reads thousands of lines from a file in batches', async () => {
    const { location, store } = await seededStore()
    const file = join(temporaryDirectory(), 'orders.jsonl')
    writeFileSync(file, Array.from({ length: 3_000 }, (_, index) => `{"n":${index}}`).join('\r\n'))
    const end = await cli(['enqueue', 'mail', `@${file}`, '--bulk', '--delay', '1h'], { store: location })
    expect(end).toMatchObject({ code: 0, err: '' })
    expect(end.out).toContain('3,000 jobs enqueued  keys 1 to 3000')
    expect((await store.counts()).waiting).toBe(3_000)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('takes lines as they come, and ends with what it has at %s', async (signal, code) => {
    const { location, store } = await seededStore()
    const started = startCli(['enqueue', 'mail', '--bulk', '--json'], { store: location })
    started.type('{"n":1}\n{"n":2}\n')
    while (((await store.counts()).available ?? 0) < 2) await systemClock.sleep(20)
    started.type('{"n":3}\n{"n":')
    started.signal(signal)
    const end = await started.ended
    expect(end.code).toBe(code)
    const { enqueued } = end.json<{ enqueued: number }>()
    expect(end.json()).toMatchObject({ refused: 0, error: { code: 'partly_done' } })
    expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(enqueued)
  })

  it.skipIf(!canMount)(
    // B086
    'says what it enqueued before the disk was full; the same lines again, keyed, add the rest and nothing twice',
    async () => {
      const disk = smallDisk(2)
      const location = join(disk.folder, 'wf.db')
      const file = join(temporaryDirectory(), 'orders.jsonl')
      const count = 6_000
      writeFileSync(
        file,
        Array.from({ length: count }, (_, index) => `{"id":"o-${index}","text":"${'x'.repeat(200)}"}\n`).join(
          '',
        ),
      )
      const bulk = (...flags: string[]) =>
        cli(['enqueue', 'mail', `@${file}`, '--bulk', '--idempotency-key-from', 'id', ...flags], {
          store: location,
        })
      const end = await bulk('--json')
      expect(end.code).toBe(6)
      const sum = end.json<{ enqueued: number; lastKey: number; nextLine: number }>()
      expect(sum).toMatchObject({
        firstKey: 1,
        lastKey: sum.enqueued,
        nextLine: sum.enqueued + 1,
        error: { code: 'partly_done', cause: { code: 'store_full' } },
      })
      expect(sum.enqueued).toBeGreaterThan(0)
      expect(end.out).toContain('the disk is full')
      disk.grow(16)
      const again = await bulk()
      expect(again).toMatchObject({ code: 0, err: '' })
      expect(again.out).toContain(
        `${thousands(count - sum.enqueued)} jobs enqueued, ${thousands(sum.enqueued)} there already`,
      )
      const store = await openStore({ location, mode: 'read' })
      expect((await store.counts()).available).toBe(count)
      await store.close()
    },
  )

  it('takes a place for keys only with --bulk, and only one that is a path', async () => {
    const { location } = await seededStore()
    expect(
      (await cli(['enqueue', 'mail', '{"id":1}', '--idempotency-key-from', 'id'], { store: location })).code,
    ).toBe(2)
    const end = await cli(['enqueue', 'mail', '--bulk', '--idempotency-key-from', 'a..b'], {
      store: location,
      input: '{}\n',
    })
    expect(end.code).toBe(2)
    expect(end.err).toContain('--idempotency-key-from')
  })

  it('fails as its first line does when nothing was enqueued', async () => {
    const { location } = await seededStore()
    const end = await cli(['enqueue', 'mail', '--bulk'], { store: location, input: 'oops\n' })
    expect(end.code).toBe(2)
    expect(end.err).toContain('line 1')
  })
})

/** Settles jobs as they come, on the real clock, while `work` is done. */
async function serving<T>(
  location: string,
  outcomesOf: Readonly<Record<string, Outcome>>,
  work: () => Promise<T>,
): Promise<T> {
  const store = await openStore({ location, mode: 'write' })
  const engine = createEngine({ store, random: seededRandom(1), events: createEvents() })
  const types = Object.keys(outcomesOf).map((type) => ({ type, limit: 10, timeoutMs: 60_000, retries: 3 }))
  let working = true
  const serve = async () => {
    while (working) {
      const { claimed } = await engine.exchange({
        ended: [],
        claim: { workerId: 'w#1', limit: 10, suspects: false, types },
      })
      const ended = claimed.map((job) => ({
        job,
        outcome: outcomesOf[job.type] ?? outcomes.success(),
        policy: plainPolicy,
        children: [],
        durationMs: 1,
      }))
      if (ended.length > 0) await engine.exchange({ ended })
      await systemClock.sleep(20)
    }
    await store.close()
  }
  const [done] = await Promise.all([
    work().finally(() => {
      working = false
    }),
    serve(),
  ])
  return done
}

describe('wf enqueue --wait', () => {
  it('prints the result of a job that completes, and alone', async () => {
    const { location } = await seededStore()
    const end = await serving(location, { mail: outcomes.success({ sent: true }) }, () =>
      cli(['enqueue', 'mail', '--wait', '--json'], { store: location }),
    )
    expect(end.code).toBe(0)
    expect(end.json()).toMatchObject({ state: 'completed', result: { sent: true } })
  })

  it('exits 10 when the job stops, and 7 when the time is over, naming the job', async () => {
    const { location } = await seededStore()
    const [failed, slow] = await serving(location, { bad: outcomes.raised('look at this') }, () =>
      Promise.all([
        cli(['enqueue', 'bad', '--wait', '--json'], { store: location }),
        cli(['enqueue', 'slow', '--wait', '--timeout', '300ms', '--json'], { store: location }),
      ]),
    )
    expect([failed.code, slow.code]).toEqual([10, 7])
    expect(failed.json()).toMatchObject({ error: { code: 'job_not_successful', state: 'failed' } })
    expect(failed.out).toContain('look at this')
    expect(slow.json()).toMatchObject({ error: { code: 'wait_timeout', key: expect.any(Number) } })
  })
})
