import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BusinessError, defineHandler, openClient, startWorker } from 'wfkit'
import { temporaryDirectory } from '../support/open-test-store.ts'

describe('the package', () => {
  it('lets a program hand in work, have it done, and hear how it ended', async () => {
    const store = join(temporaryDirectory(), 'wf.db')
    const charge = defineHandler<{ amount: number }, { paid: number }>({
      type: 'charge',
      businessErrors: ['CARD_DECLINED'],
      run: ({ variables }) => {
        if (variables.amount > 100) throw new BusinessError('CARD_DECLINED', 'no cover')
        return { paid: variables.amount }
      },
    })
    const worker = await startWorker({ store, handlers: [charge] })
    onTestFinished(() => worker.stop())
    const client = await openClient({ store, create: false })
    onTestFinished(() => client.close())

    const results = await client.enqueueMany([
      { type: 'charge', variables: { amount: 30 } },
      { type: 'charge', variables: { amount: 300 } },
      { type: '' },
    ])
    expect(results.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'refused'])
    const ends = await Promise.all(
      results.flatMap((each) => (each.status === 'accepted' ? [each.job.wait({ timeout: '20s' })] : [])),
    )
    expect(ends).toMatchObject([
      { state: 'completed', result: { paid: 30 } },
      { state: 'rejected', error: { code: 'CARD_DECLINED', message: 'no cover' } },
    ])
  })
})
