/** The report over dead letters, made from a store that a worker has filled. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freshFolder, root, startWf, wf } from '../support/processes.ts'

it('groups dead letters by cause, the most frequent first, and names fields that they share without their values', async () => {
  const cwd = freshFolder()
  const orders = [
    { orderId: 'o-1', lines: [{ sku: 'tea', quantity: 1, price: 2 }], total: 9, shop: 'north' },
    { orderId: 'o-2', lines: [{ sku: 'tea', quantity: 3, price: 2 }], total: 8, shop: 'north' },
    { orderId: 'o-3', lines: 'none', total: 8, shop: 'south' },
  ]
  for (const order of orders) wf(['enqueue', 'import-order', JSON.stringify(order)], { cwd })
  await startWf(['run-worker', join(root, 'examples/poison-order.ts'), '--until-empty'], { cwd }).exits(10)
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/jiti'),
    [join(root, 'examples/mine-poison.ts')],
    {
      cwd,
      encoding: 'utf8',
    },
  )
  expect([status, stderr]).toEqual([0, ''])
  const report = stdout.split('\n## ')
  expect(report[0]).toBe('# Dead letters: 3 of 2 causes\n')
  expect(report[1]).toContain('2 × import-order')
  expect(report[1]).toContain('the same in all that were looked at: shop')
  expect(report[2]).toContain('1 × import-order')
  expect(stdout).not.toContain('north')
})
