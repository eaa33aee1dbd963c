/**
 * Lesson 4: a job of several effects, each of which must happen once, and one step that it can do without.
 *
 *   npx wf enqueue notify-customer '{"orderId":"o-1","mail":"ann@example.org","phone":"+49301234"}'
 *   npx wf run-worker examples/notify.ts --until-empty
 *
 * FLAKY=1 in front of it: the text message fails the first time, and the mail is not sent again.
 */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineHandler } from 'wfkit'
import { z } from 'zod'

// Stands for the mail and message services: what was sent is a line in a file.
const outbox = () => process.env['OUTBOX'] ?? join(process.cwd(), 'outbox.jsonl')

export default defineHandler({
  type: 'notify-customer',
  variables: z.object({
    orderId: z.string().min(1),
    mail: z.string().includes('@'),
    phone: z.string().startsWith('+'),
  }),
  retries: 4,
  backoff: { strategy: 'fixed', delay: '200ms' },
  timeout: '30s',

  async run({ key, variables: { orderId, mail, phone } }, ctx) {
    // Each of the two is remembered by the job: that it was begun, before it is done, and its result, after. When the
    // second fails, the next attempt does not send the first again. When the process dies in the middle of one, nobody
    // knows whether it was sent: then `verify` asks the other side, and undefined means that it was not.
    const sentMail = await ctx.once(
      'mail',
      () => send({ id: `mail-${key}`, to: mail, text: `order ${orderId} is on its way` }),
      {
        verify: () => sent(`mail-${key}`),
      },
    )
    const sentText = await ctx.once(
      'text',
      () => {
        if (process.env['FLAKY'] && ctx.attempt === 1) throw new Error('the message service hung up')
        return send({ id: `text-${key}`, to: phone, text: `order ${orderId} is on its way` })
      },
      { verify: () => sent(`text-${key}`) },
    )

    // The customer is told whether or not somebody counts it. A failure here is counted (wf_worker_degraded_total) and
    // told in the log; it never fails the job, and never takes more than ten seconds of it.
    const counted = await ctx.optional('statistics', (signal) => count(orderId, signal))

    return { mail: sentMail.id, text: sentText.id, counted: counted ?? false }
  },
})

interface Message {
  id: string
  to: string
  text: string
}

async function send(message: Message): Promise<{ id: string }> {
  await appendFile(outbox(), `${JSON.stringify(message)}\n`)
  return { id: message.id }
}

async function sent(id: string): Promise<{ id: string } | undefined> {
  const lines = (await readFile(outbox(), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Message).some((message) => message.id === id)
    ? { id }
    : undefined
}

async function count(orderId: string, signal: AbortSignal): Promise<boolean> {
  const address = process.env['STATISTICS']
  if (!address) throw new Error('nobody listens: set STATISTICS to a URL')
  const answer = await fetch(address, { method: 'POST', body: JSON.stringify({ orderId }), signal })
  return answer.ok
}
