import { describe, expect, it } from 'vitest'
import { shortLease } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

describe('a handler that ends its process, in line', () => {
  // B055
  it.each([0, 7])(
    'in line, process.exit(%i) ends the worker with 1, names the jobs that ran, and costs none of them',
    async (given) => {
      const scene = await Scene.open()
      const file = scene.handler(
        'mixed',
        `if (variables.exits && job.attempt === 1) process.exit(${given}); await sleep(100)`,
      )
      const [bad = 0] = await scene.enqueue({ type: 'mixed', variables: { exits: true } })
      const worker = scene.worker([file, '--inline', '--until-empty'], { env: shortLease })
      await worker.exits(1)
      expect(worker.err).toMatch(
        new RegExp(
          `a handler ended the process with exit code ${given}\\n.*mixed #${bad}\\n.*process\\.exit`,
        ),
      )
      await scene.worker([file, '--inline', '--until-empty']).exits(0)
      expect(await scene.job(bad)).toMatchObject({ state: 'completed', retries: 3 })
      expect(await scene.outcomes(bad)).toEqual(['lost', 'success'])
    },
  )
})

describe('signals, in line', () => {
  // B050
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s drains, a Ctrl-C after it stops now with 130 and gives back what runs',
    async (first) => {
      const scene = await Scene.open()
      const file = scene.handler('slow', 'mark("start"); await new Promise(() => {})', "timeout: '2h',")
      const [key = 0] = await scene.enqueue({ type: 'slow' })
      const worker = scene.worker([file, '--inline', '--grace', '1h'])
      await scene.marks.until((lines) => lines.length === 1, 'it has started')
      worker.signal(first)
      await worker.says(/stopping: nothing new starts/)
      // One key press reaches a worker under npm twice within a moment; another press is another wish.
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(worker.hasEnded).toBe(false)
      worker.signal('SIGINT')
      await worker.exits(130)
      expect(worker.out.match(/stopping at once/g)).toHaveLength(1)
      expect(await scene.job(key)).toMatchObject({ state: 'available', retries: 3, crashes: 0 })
    },
  )
})
