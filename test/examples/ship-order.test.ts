/** The lesson of undoing: what stops after its charge leaves a refund behind. */
import { expect, it } from 'vitest'
import { runHandler } from 'wfkit/testing'
import { refundOrder, shipOrder } from '../../examples/ship-order.ts'

it('ships what is there and refunds nothing', async () => {
  const run = await runHandler(shipOrder, { orderId: 'o-1', amount: 30, item: 'tea' })
  expect(run).toMatchObject({ outcome: 'success', result: { shipped: 'tea', amount: 30 }, children: [] })
})

it('leaves a refund of the charge behind when the order is stopped', async () => {
  const run = await runHandler(shipOrder, { orderId: 'o-2', amount: 20, item: 'rum' })
  expect(run).toMatchObject({ outcome: 'business_error', job: { state: 'rejected' } })
  const [refund, another] = run.children
  expect(another).toBeUndefined()
  expect(refund).toMatchObject({
    job: { type: 'refund-order', state: 'available' },
    variables: { orderId: 'o-2', amount: 20 },
  })
  const refunded = await runHandler(refundOrder, refund?.variables as object)
  expect(refunded).toMatchObject({ outcome: 'success', result: { refunded: 20 } })
})

it('refunds the charge of an earlier attempt, not a new one', async () => {
  const charge = { chargeId: 'ch-before', amount: 20 }
  const run = await runHandler(
    shipOrder,
    { orderId: 'o-2', amount: 20, item: 'rum' },
    { attempt: 2, steps: { charge: { result: charge } } },
  )
  expect(run.children).toMatchObject([{ variables: { chargeId: 'ch-before' } }])
})
