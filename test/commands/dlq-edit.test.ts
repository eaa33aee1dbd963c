import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

/** An editor that does this to the variables, and keeps what it was shown. */
function editor(change: string): { command: string; shown(): string | null; file(): string } {
  const folder = temporaryDirectory()
  const [script, seen, name] = ['edit.mjs', 'seen.json', 'name'].map((file) => join(folder, file)) as [
    string,
    string,
    string,
  ]
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from 'node:fs'
    const file = process.argv.at(-1)
    const text = readFileSync(file, 'utf8')
    writeFileSync(${JSON.stringify(seen)}, text)
    writeFileSync(${JSON.stringify(name)}, file)
    const variables = JSON.parse(text)
    ${change}
    writeFileSync(file, typeof variables === 'string' ? variables : JSON.stringify(variables))`,
  )
  chmodSync(script, 0o700)
  return {
    command: `'${process.execPath}' '${script}' --some-flag`,
    shown: () => (existsSync(seen) ? readFileSync(seen, 'utf8') : null),
    file: () => readFileSync(name, 'utf8'),
  }
}

function handlerFile(): string {
  const path = join(temporaryDirectory(), 'mail.mjs')
  const zod = JSON.stringify(import.meta.resolve('zod'))
  writeFileSync(
    path,
    `console.log('noise')
    import { z } from ${zod}
    export default { type: 'mail', variables: z.looseObject({ amount: z.number().positive() }), run() {} }`,
  )
  return path
}

async function poisoned() {
  const made = await seededStore()
  const key = await made.poisoned({ amount: -1, password: 'geheim', note: 'x' })
  const edit = (EDITOR: string, ...args: readonly string[]) =>
    cli(['dlq', 'retry', String(key), '--edit', ...args], {
      store: made.location,
      env: { VISUAL: undefined, EDITOR, WF_USER: 'ada' },
    })
  return { ...made, key, edit }
}

describe('wf dlq retry --edit', () => {
  it('keeps what was changed in the editor as changes, secrets hidden and left as they are', async () => {
    const { edit, key, detail } = await poisoned()
    const vi = editor('variables.amount = 10; delete variables.note; variables.extra = [1]')
    const end = await edit(vi.command, '--handler', handlerFile(), '--json')
    expect([end.err, end.code]).toEqual(['noise\n', 0])
    expect(end.json()).toMatchObject({ matched: 1, changed: 1, undo: expect.stringContaining('wf undo') })
    expect(vi.shown()).toContain('"password": "***"')
    expect(existsSync(vi.file())).toBe(false)
    const { job, variables, history } = await detail(key)
    expect(job.state).toBe('available')
    expect(JSON.parse(variables)).toEqual({ amount: 10, password: 'geheim', extra: [1] })
    expect(JSON.parse(history.at(-1)?.detail ?? '')).toMatchObject({
      variables: [
        { path: 'amount', before: -1, after: 10 },
        { path: 'extra', after: [1] },
        { path: 'note', before: 'x' },
      ],
    })
  })

  it('changes nothing when the editor fails, leaves it unchanged or leaves what cannot be taken', async () => {
    const { edit, key, detail } = await poisoned()
    const tries = [
      [await edit('false'), 2, 'the editor false failed: it ended with 1'],
      [await edit('no-such-editor-anywhere'), 2, 'it ended with 127'],
      [await edit('true'), 2, 'left as they are: nothing was changed'],
      [await edit(editor('process.exit(0)').command), 2, 'left as they are'],
      [await edit(`sh -c 'echo {oops > "$1"' sh`), 2, 'the edited variables are not JSON'],
      [await edit(editor('variables.amount = -5').command, '--handler', handlerFile()), 2, 'amount'],
      [
        await edit(editor('variables.note = variables.password').command),
        2,
        'note would be stored with *** in it',
      ],
      [await edit(editor('variables.amount = 5').command, '--handler', './nowhere.ts'), 11, 'no such file'],
      [await edit(editor('variables.amount = 5').command, '--set', 'a=1'), 2, '--set'],
      [await edit(editor('variables.amount = 5').command, '--reason', 'x', '--set', 'a=1'), 2, '--set'],
      [await edit(editor('variables.amount = 5').command, '4711'), 2, '--edit is for one job at a time'],
    ] as const
    for (const [end, code, words] of tries) {
      expect([words, end.code, end.out]).toEqual([words, code, ''])
      expect(end.err).toContain(words)
    }
    const { job, variables } = await detail(key)
    expect([job.state, JSON.parse(variables)]).toEqual([
      'failed',
      { amount: -1, password: 'geheim', note: 'x' },
    ])
  })

  // B145
  it('shows secrets in the editor only with --reveal, which is kept', async () => {
    const { edit, store, location } = await poisoned()
    const vi = editor('variables.password = "anders"')
    expect((await edit(vi.command, '--reveal')).code).toBe(0)
    expect(vi.shown()).toContain('geheim')
    const { items } = await store.operations({}, { limit: 10 })
    expect(items.map(({ verb, who }) => [verb, who])).toEqual([
      ['dlq_retry', 'ada'],
      ['reveal', 'ada'],
    ])
    expect((await cli(['audit', 'show', String(items[0]?.id)], { store: location })).out).not.toContain(
      'anders',
    )
  })
})
