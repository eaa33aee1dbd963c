import { join } from 'node:path'
import { countJobs } from '../../lib/wf-store.mjs'

const { openClient } = await import(join(import.meta.dirname, '../../../dist/index.js'))

export async function connect({ address, durability, type = 'bench', olderKeys }) {
  const client = await openClient({
    store: address,
    durability: durability === 'NORMAL' ? 'process' : 'power',
  })
  return {
    add: (variables) => client.enqueue(type, variables),
    addMany: (list, spec) => client.enqueueMany(list.map((variables) => ({ type, variables, ...spec }))),
    counts: () => countJobs(address, olderKeys),
    close: () => client.close(),
  }
}
