import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/domain/idempotency.ts'
import { cli } from '../support/cli.ts'
import { hostileStore } from '../support/hostile-store.ts'
import { seededStore } from '../support/seeded-store.ts'

interface Document {
  checksum: string
  format: string
  job: {
    key: number
    state: string
    attempts: object[]
    incidents: object[]
    history: object[]
    steps: object[]
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('wf jobs export', () => {
  it('prints a job with all that belongs to it, with or without --json', async () => {
    const { location, raised } = await seededStore()
    const [key = 0] = await raised()
    const [plain, json] = await Promise.all(
      [[], ['--json']].map((more) => cli(['jobs', 'export', String(key), ...more], { store: location })),
    )
    const document = plain?.json() as unknown as Document
    expect(document).toMatchObject({
      format: 'wf-job/1',
      job: { key, state: 'failed', attempts: [{ outcome: 'incident' }], incidents: [{ kind: 'raised' }] },
    })
    expect(Object.keys(json?.json() ?? {})).toEqual(Object.keys(document))
    expect(document.job).not.toHaveProperty('next')
  })

  it('carries a checksum of everything else in it, which stands whatever was in the store', async () => {
    const { location, failed, running } = await hostileStore()
    for (const key of [failed, running]) {
      const { checksum, ...rest } = (
        await cli(['jobs', 'export', String(key)], { store: location })
      ).json() as unknown as Document
      expect(checksum).toBe(sha256(canonicalJson(rest)))
      expect(checksum).not.toBe(sha256(canonicalJson({ ...rest, format: 'wf-job/2' })))
    }
  })
})

describe('wf jobs explain', () => {
  it('says why a job stopped, that it waits for a person, and the command that takes it, naming a store that is not the usual one', async () => {
    const { location, raised } = await seededStore()
    const [key = 0] = await raised()
    const { code, out } = await cli(['jobs', 'explain', String(key)], { store: location })
    expect(code).toBe(0)
    expect(out).toContain('Its handler stopped it for a person to look at')
    expect(out).toContain('Nothing happens until a person acts.')
    expect(out).toContain(`wf incidents resolve ${key} --store ${location}`)
    const document = (await cli(['jobs', 'explain', String(key), '--json'], { store: location })).json()
    expect(document).toMatchObject({
      key,
      state: 'failed',
      at: null,
      why: [expect.any(String)],
      next: [expect.any(String)],
    })
  })
})
