import { describe, expect, it } from 'vitest'
import { logCleaner } from '../../../src/text/sanitize.ts'
import { startMessage } from '../../../src/worker/supervisor/supervisor-messages.ts'

const start = (
  names: readonly string[],
  { concurrency = null, processes = 1 }: { concurrency?: number | null; processes?: number } = {},
) =>
  startMessage(
    names.map((type) => ({
      type,
      timeoutMs: 1,
      concurrency: 10,
      retries: 3,
      backlogLimit: null,
      onExhausted: 'incident',
    })),
    { processes, concurrency, place: '/srv/wf.db' },
  )

describe('the first line of a run', () => {
  it('names the types, how much at once, and where', () => {
    expect(start(['pay'])).toBe('working on pay (up to 10 jobs at once in 1 process) from /srv/wf.db')
    expect(start(['pay', 'mail'], { concurrency: 1, processes: 2 })).toBe(
      'working on pay and mail (up to 1 job at once in each of 2 processes) from /srv/wf.db',
    )
  })

  it('names all of a few types, and of many the first few and how many more', () => {
    const names = Array.from({ length: 33 }, (_, index) => `t${index + 1}`)
    expect(start(names.slice(0, 6))).toContain('working on t1, t2, t3, t4, t5 and t6 (')
    expect(start(names.slice(0, 7))).toContain('working on t1, t2, t3, t4, t5 and 2 more (')
    expect(start(names)).toContain('working on t1, t2, t3, t4, t5 and 28 more (up to 330 jobs')
  })

  it('is not masked for a type that is named after a secret', () => {
    for (const name of ['reset-password', 'send-otp', 'verify-pin', 'refresh-token'])
      expect(logCleaner.message(start([name]))).toBe(start([name]))
  })
})
