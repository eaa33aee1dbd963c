import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { references } = (await import(new URL('../.ci/reference.mjs', import.meta.url).href)) as {
  references(): Promise<Record<string, string>>
}

describe('what is generated and checked in', async () => {
  for (const [path, text] of Object.entries(await references())) {
    it(`${path} is up to date; if the change is meant, run npm run reference`, () => {
      expect(readFileSync(join(root, path), 'utf8')).toBe(text)
    })
  }

  it('the API report holds every export with what it mentions, and no comment', async () => {
    const report = (await references())['api/wfkit.api.d.ts'] ?? ''
    for (const name of [
      'defineHandler',
      'openClient',
      'startWorker',
      'WfError',
      'HandlerContext',
      'Selector',
    ])
      expect(report).toMatch(
        new RegExp(`^export (?:declare )?(?:class|const|function|interface|type) ${name}\\b`, 'm'),
      )
    expect(report).toMatch(/^(?:interface|type) EnqueueInput\b/m)
    expect(report).not.toMatch(/\/\*|\/\/|^import /m)
  })
})
