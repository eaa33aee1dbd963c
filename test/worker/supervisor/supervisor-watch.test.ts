import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { watchSources } from '../../../src/cli/run-worker/source-watch.ts'

describe('watching the sources', () => {
  it('tells once of several writes, of modules only, and nothing after its end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wf-watch-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const clock = createFakeClock()
    let changes = 0
    const end = watchSources([join(folder, 'a.ts'), join(folder, 'b.ts')], clock, () => changes++)
    writeFileSync(join(folder, 'wf.db-wal'), 'not a module')
    writeFileSync(join(folder, 'helper.ts'), '1')
    writeFileSync(join(folder, 'helper.ts'), '2')
    while (clock.pendingTimers === 0) await clock.settle()
    for (let turn = 0; turn < 20; turn++) await clock.settle()
    await clock.advance(1000)
    expect(changes).toBe(1)
    end()
    writeFileSync(join(folder, 'helper.ts'), '3')
    await clock.advance(1000)
    expect(changes).toBe(1)
    expect(clock.pendingTimers).toBe(0)
  })
})
