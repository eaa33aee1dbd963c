import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFileName, loadConfig, type ConfigInput } from '../src/config.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wf-config-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const file = (content: string) => writeFileSync(join(directory, configFileName), content)
const load = (flags: object = {}, env: Record<string, string | undefined> = {}) =>
  loadConfig({ flags: flags as ConfigInput, env, directory })
const day = 86_400_000

describe('the configuration', () => {
  it('has a default for everything', async () => {
    expect(await load()).toEqual({
      store: './wf.db',
      durability: 'power',
      leaseMs: 30_000,
      renewalMs: 10_000,
      sweepMs: 5_000,
      hangMs: 10_000,
      loadMs: 30_000,
      retention: {
        finishedMs: 7 * day,
        deadLettersMs: 90 * day,
        idempotencyKeysMs: 90 * day,
        statsMs: 30 * day,
      },
      sizes: { variablesBytes: 1_048_576, resultBytes: 1_048_576 },
      networkFileSystem: 'refuse',
    })
  })

  it('lets a flag win over a variable, a variable over the file, the file over the default', async () => {
    file(
      '{ "store": "./file.db", "lease": "20s", "durability": "process", "retention": { "finished": "1d" } }',
    )
    const config = await load({ store: './flag.db' }, { WF_STORE: './env.db', WF_LEASE: '40s' })
    expect(config).toMatchObject({
      store: './flag.db',
      leaseMs: 40_000,
      durability: 'process',
      renewalMs: 10_000,
    })
    expect(config.retention).toMatchObject({ finishedMs: day, deadLettersMs: 90 * day })
  })

  it('shortens renewal and sweep with a short lease', async () => {
    expect(await load({ lease: '3s' })).toMatchObject({ leaseMs: 3_000, renewalMs: 1_000, sweepMs: 500 })
  })

  // B007
  it('refuses a renewal of half the lease or more and names both numbers', async () => {
    await expect(load({ lease: '5s', renewal: '2500ms' })).rejects.toMatchObject({
      code: 'invalid_config',
      message: '--renewal is "2500ms"; it must be below 2.5s, which is half of the lease of 5s',
    })
    await expect(load({}, { WF_RENEWAL: '90s' })).rejects.toThrow(
      'WF_RENEWAL is "90s"; it must be below 15s, which is half of the lease of 30s',
    )
    await expect(load({ lease: '5s', renewal: '2s' })).resolves.toMatchObject({ renewalMs: 2_000 })
  })

  // B041
  it('refuses every value that could turn a guard off, naming source, value and range', async () => {
    const values = [
      'five',
      '',
      ' ',
      '0',
      '0s',
      '-1s',
      '1.5s',
      '5',
      '1e3s',
      '999999d',
      '5S',
      'forever',
      'Infinity',
    ]
    for (const name of ['WF_LEASE', 'WF_RENEWAL', 'WF_SWEEP']) {
      for (const value of values) {
        await expect(load({}, { [name]: value }), `${name}=${value}`).rejects.toMatchObject({
          code: 'invalid_config',
          message: expect.stringMatching(
            new RegExp(`^${name} is ${JSON.stringify(value)}; it must be .*, from \\d+m?s to \\d+m$`),
          ),
        })
      }
    }
    for (const lease of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY, null, true, [], {}]) {
      await expect(load({ lease }), String(lease)).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringContaining('lease'),
      })
    }
    for (const durability of ['off', '', 'POWER', 1])
      await expect(load({ durability })).rejects.toMatchObject({ code: 'invalid_config' })
    for (const networkFileSystem of ['', 'yes', true])
      await expect(load({ networkFileSystem })).rejects.toMatchObject({ code: 'invalid_config' })
    await expect(load({ store: ' ' })).rejects.toMatchObject({ code: 'invalid_config' })
  })

  // B076
  it('takes sizes in bytes, alone or with a unit, from 1 KiB to 16 MiB', async () => {
    file('{ "limits": { "variables": "256KiB", "result": 4096 } }')
    expect((await load()).sizes).toEqual({ variablesBytes: 262_144, resultBytes: 4_096 })
    expect((await load({}, { WF_MAX_VARIABLES: '16MiB' })).sizes).toEqual({
      variablesBytes: 16_777_216,
      resultBytes: 4_096,
    })
    expect(
      (await load({ limits: { variables: 1_024 } }, { WF_MAX_VARIABLES: '2048', WF_MAX_RESULT: '1025B' }))
        .sizes,
    ).toEqual({
      variablesBytes: 1_024,
      resultBytes: 1_025,
    })
    for (const value of [
      '',
      ' ',
      '1MB',
      '1 MiB',
      '1mib',
      '1.5MiB',
      '-1',
      '1e6',
      '0',
      '1023',
      '16777217',
      '17MiB',
      'forever',
      '1GiB',
    ]) {
      await expect(load({}, { WF_MAX_VARIABLES: value }), value).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringMatching(/^WF_MAX_VARIABLES is ".*"; it must be .*, from 1KiB to 16MiB$/),
      })
    }
    for (const variables of [Number.NaN, 1.5, 0, -1, Number.POSITIVE_INFINITY, null, true, [], {}])
      await expect(load({ limits: { variables } }), String(variables)).rejects.toMatchObject({
        code: 'invalid_config',
      })
    file('{ "limits": { "variabels": "1MiB" } }')
    await expect(load()).rejects.toMatchObject({ hint: 'did you mean limits.variables?' })
  })

  it('keeps rows for ever only when that is written out', async () => {
    expect((await load({ retention: { finished: 'forever' } })).retention.finishedMs).toBeNull()
    for (const finished of [null, 0, 'never', ''])
      await expect(load({ retention: { finished } })).rejects.toMatchObject({ code: 'invalid_config' })
  })

  it('refuses a name it does not know, in all three places, and says which was meant', async () => {
    await expect(load({ leese: '5s' })).rejects.toMatchObject({ hint: 'did you mean lease?' })
    await expect(load({}, { WF_LEESE: '5s' })).rejects.toMatchObject({ hint: 'did you mean WF_LEASE?' })
    file('{ "retention": { "finishd": "1d" } }')
    await expect(load()).rejects.toMatchObject({
      message: expect.stringContaining('retention.finishd in wf.config.json'),
      hint: 'did you mean retention.finished?',
    })
    file('{ "colour": "red" }')
    await expect(load()).rejects.toMatchObject({ hint: expect.stringContaining('retention.finished') })
  })

  it("leaves other programs' variables alone", async () => {
    await expect(
      load({}, { WF_DEPLOY_TARGET: 'blue', PATH: '/bin', WF_LEASE: undefined }),
    ).resolves.toMatchObject({ leaseMs: 30_000 })
  })

  it('says where a file is broken or not readable', async () => {
    for (const [content, words] of [
      ['{ "lease": ', /is not JSON/],
      ['[]', /is not one JSON object/],
      ['{ "lease": ["5s"] }', /lease/],
      ['{ "retention": 5 }', /retention/],
    ] as const) {
      file(content)
      await expect(load(), content).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringMatching(words),
      })
    }
  })

  // B107
  it('takes only own members: a prototype in the file, or a setting named like one, changes nothing', async () => {
    for (const content of [
      '{ "__proto__": { "lease": "1s" } }',
      '{ "constructor": { "prototype": { "lease": "1s" } } }',
      '{ "toString": "1s" }',
    ]) {
      file(content)
      await expect(load(), content).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.stringContaining('is not a setting'),
      })
    }
    expect(({} as { lease?: string }).lease).toBeUndefined()
    rmSync(join(directory, configFileName))
    await expect(load(Object.create({ lease: '1s' }))).resolves.toMatchObject({ leaseMs: 30_000 })
  })
})
