import { describe, expect, it } from 'vitest'
import { wf, writeHandler } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

const modules: Record<string, { text: string; says: RegExp; slow?: true }> = {
  'a syntax error': { text: 'export default { type: "x", run() { let } }\n', says: /broken\.ts:1/ },
  'a missing import': {
    text: 'import "./nowhere.ts"\nexport default { type: "x", run() {} }\n',
    says: /nowhere/,
  },
  'a throw in a timer while it loads': {
    text: 'setTimeout(() => { throw new Error("loose") })\nawait new Promise(() => {})\n',
    says: /broken\.ts:1:\d+\n.*loose/,
  },
  'a throw at its top level': { text: '\nthrow new Error("no settings")\n', says: /no settings/ },
  'no handler': { text: 'export const answer = 42\n', says: /answer|no handler/ },
  'process.exit(0) at its top level': {
    text: 'process.exit(0)\n',
    says: /ended with exit code 0 while it loaded/,
  },
  'an await that never ends': {
    text: 'await new Promise(() => {})\nexport default { type: "x", run() {} }\n',
    says: /took longer than 0\.5 s/,
    slow: true,
  },
  'a loop that never ends': { text: 'for (;;);\n', says: /took longer than 0\.5 s/, slow: true },
}

describe('modules that cannot be loaded', () => {
  for (const [what, { text, says, slow }] of Object.entries(modules)) {
    // B065
    it(`${what}: one message, exit 11, no job claimed`, async () => {
      const scene = await Scene.open()
      const [key = 0] = await scene.enqueue({ type: 'x' })
      const file = writeHandler(scene.folder, 'broken.ts', text)
      const worker = scene.worker([file, '--processes', '2'], slow ? { env: { WF_LOAD: '500ms' } } : {})
      await worker.exits(11)
      expect(worker.err).toMatch(says)
      expect(worker.err.match(/^wf: /gm)).toHaveLength(1)
      expect(worker.err).not.toMatch(/\n\s+at /)
      expect(await scene.job(key)).toMatchObject({ state: 'available', attempt: 0 })
      expect(await scene.store.workers(scene.store.now())).toEqual([])
    })
  }

  it.each([
    ['throws at its top level', '\nthrow new Error("no settings")\n', /broken\.ts:2:\d+\n.*no settings/],
    [
      'ends the process, with success as it says',
      'process.exit(0)\n',
      /ended with exit code 0 while it loaded .*broken\.ts/,
    ],
    [
      'throws in a timer while it loads',
      'setTimeout(() => { throw new Error("loose") })\nawait new Promise(() => {})\n',
      /broken\.ts:1:\d+\n.*loose/,
    ],
    [
      'leaves a rejection to nobody while it loads',
      'void Promise.reject(new Error("loose"))\nawait new Promise(() => {})\n',
      /broken\.ts:1:\d+\n.*loose/,
    ],
    ['never ends to load', 'await new Promise(() => {})\n', /took longer than 0\.5 s/, { WF_LOAD: '500ms' }],
  ] as [string, string, RegExp, Record<string, string>?][])(
    // B065 A37
    'in line, a module that %s: one message, exit 11',
    async (_, text, says, env = {}) => {
      const scene = await Scene.open()
      const [key = 0] = await scene.enqueue({ type: 'x' })
      const worker = scene.worker([writeHandler(scene.folder, 'broken.ts', text), '--inline'], { env })
      await worker.exits(11)
      expect(worker.err).toMatch(says)
      expect(worker.err.match(/^wf: /gm)).toHaveLength(1)
      expect(worker.err).not.toMatch(/\n\s+at /)
      expect(await scene.job(key)).toMatchObject({ state: 'available', attempt: 0 })
    },
  )

  // B068
  it('a type that no module handles is an error that names those that are there', async () => {
    const scene = await Scene.open()
    const ended = scene.wf(['run-worker', scene.handler('email', ''), '--type', 'emial'])
    expect([ended.code, ended.err]).toEqual([11, expect.stringMatching(/emial[\s\S]*email/)])
  })
})

describe('flags and settings', () => {
  // B137
  it('refuses unusable numbers before it does anything', async () => {
    const scene = await Scene.open()
    const file = scene.handler('x', '')
    const wrong = [
      ['--concurrency', '0'],
      ['--concurrency', '1e3'],
      ['--processes', 'many'],
      ['--processes', '1.5'],
      ['--max-jobs', '-1'],
      ['--grace', '5S'],
      ['--grace', '99999d'],
      ['--metrics-port', '65536'],
      ['--worker-id', 'a#b'],
    ]
    for (const [flag = '', value = ''] of wrong) {
      const ended = wf(['run-worker', file, flag, value, '--store', `${scene.folder}/never.db`])
      expect([flag, value, ended.code]).toEqual([flag, value, 2])
      expect(ended.err).toContain(flag)
    }
    expect(wf(['jobs', 'list', '--store', `${scene.folder}/never.db`]).code).toBe(3)
  })

  // B006 B007
  it('refuses a lease that cannot be renewed in time, and names both numbers', async () => {
    const scene = await Scene.open()
    const ended = wf(['run-worker', scene.handler('x', ''), '--store', scene.db], {
      env: { WF_LEASE: '10s', WF_RENEWAL: '5s' },
    })
    expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(/WF_RENEWAL[\s\S]*5s[\s\S]*10s/)])
  })

  // B137
  it('refuses a log level that there is not', async () => {
    const scene = await Scene.open()
    const ended = wf(['run-worker', scene.handler('x', ''), '--store', scene.db], {
      env: { WF_LOG_LEVEL: 'loud' },
    })
    expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(/loud[\s\S]*warn/)])
  })

  it('says so when a module is not there', async () => {
    const scene = await Scene.open()
    const ended = scene.wf(['run-worker', `${scene.folder}/nowhere.ts`])
    expect([ended.code, ended.err]).toEqual([11, expect.stringMatching(/there is no file .*nowhere\.ts/)])
  })
})
