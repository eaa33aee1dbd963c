/**
 * Lesson 3: work that takes long, can be watched, can be interrupted, and hands on what comes after it.
 *
 *   npx wf enqueue slow-report '{"month":"2026-03"}'
 *   npx wf run-worker examples/slow-report.ts --until-empty
 *   npx wf jobs list
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineHandler } from 'wfkit'
import { z } from 'zod'

/** Stands for a query that takes its time. The signal ends it early, as it would end a real one. */
async function revenueOf(day: number, signal: AbortSignal) {
  await sleep(20, undefined, { signal })
  return 1000 + ((day * 7919) % 500)
}

// One file may hold several handlers; `wf run-worker` takes them all.
export const slowReport = defineHandler({
  type: 'slow-report',
  variables: z.object({
    month: z.string().regex(/^\d{4}-\d{2}$/),
    fromDay: z.int().min(1).default(1),
    soFar: z.number().default(0),
  }),
  timeout: '30s',
  concurrency: 2,

  async run({ variables: { month, fromDay, soFar } }, ctx) {
    const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
    let total = soFar

    // Children exist only if this attempt is settled: they are written in the same transaction, or not at all. This
    // one exists only if the attempt ends the job badly, so nobody waits for a report that will not come.
    ctx.enqueue('send-report', { month, text: 'The report could not be made.' }, { when: 'stopped' })

    for (let day = fromDay; day <= days; day++) {
      // Does it still fit? If not, the rest becomes a job of its own, which starts where this one ends.
      if (ctx.timeLeftMs() < 10_000) {
        ctx.enqueue('slow-report', { month, fromDay: day, soFar: total })
        return { month, continuedFromDay: day }
      }
      // When the time is up, the worker shuts down or someone cancels, the signal aborts, this throws, and wf knows
      // why: a timeout spends a retry, a shutdown does not.
      total += await revenueOf(day, ctx.signal)
      // Seen in `wf jobs show KEY`; stored at most once a second, so call it as often as you like.
      ctx.progress(day / days, `${month}-${String(day).padStart(2, '0')}`)
    }

    ctx.enqueue(
      'send-report',
      { month, text: `Revenue ${total}` },
      { idempotencyKey: `report-${month}-${total}` },
    )
    return { month, total }
  },
})

export const sendReport = defineHandler({
  type: 'send-report',
  variables: z.object({ month: z.string(), text: z.string() }),
  run({ variables: { month, text } }, ctx) {
    ctx.log.info('sent', { month, text })
    return { sent: true }
  },
})
