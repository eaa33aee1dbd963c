import { describe, expect, it } from 'vitest'
import { Scene } from '../support/scene.ts'

const body = String.raw`
  const { step } = variables
  const nasty = '\u202egnp \u009b31m \u001b]0;x\u0007'
  for (const level of ['debug', 'info', 'warn', 'error']) {
    ctx.log[level]('connect to postgres://user:s3cret@db ' + nasty, { password: 's3cret', nested: [{ cvv: 's3cret', url: 'https://u:s3cret@h' }], big: 1n })
    ctx.log[level]('sent Authorization: Bearer s3cret.s3cret', { customer: 7 })
  }
  ctx.log.warn({ password: 's3cret' }, 's3cret='.repeat(0))
  if (step === 'throw') throw { password: 's3cret', nasty }
  if (step === 'error') throw new Error('x'.repeat(145) + ' postgres://user:s3cret@db/a?b=c was refused ' + nasty)
  if (step === 'raise') throw Object.assign(new Error('Bearer s3cret.s3cret'), { code: nasty })
  if (step === 'panic') setTimeout(() => { throw new Error('thrown late: {"pin":"s3cret"} ' + nasty) }, 5), await new Promise((done) => setTimeout(done, 100))
`

describe('the log of wf run-worker', () => {
  it.each([[], ['--inline']])(
    // A39 B145
    'carries no secret and nothing that a terminal obeys, whatever handlers log and throw (%s)',
    async (...inline) => {
      const scene = await Scene.open()
      const steps = ['fine', 'throw', 'error', 'raise', ...(inline.length === 0 ? ['panic'] : [])]
      await scene.enqueue(
        ...steps.map((step) => ({ type: 'x', variables: { step, password: 's3cret' }, retries: 1 })),
      )
      const worker = await scene
        .worker([scene.handler('x', body), '--until-empty', ...inline], { env: { WF_LOG_LEVEL: 'debug' } })
        .exits(10)
      const said = worker.out + worker.err
      expect(said).not.toContain('s3cret')
      expect(said.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
      const lines = worker.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(lines.filter(({ msg }) => String(msg).includes('postgres://***@db'))).toHaveLength(
        4 * steps.length,
      )
      expect(lines.filter(({ password }) => password === '***').length).toBe(4 * steps.length)
    },
  )
})
