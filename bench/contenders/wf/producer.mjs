import { join } from 'node:path'
import { countJobs } from '../../lib/wf-store.mjs'

export const connect = (options) => connectThrough(join(import.meta.dirname, '../../..'), options)

/** Connects through the client of the checkout `root`. */
export async function connectThrough(root, { address, durability, type = 'bench', olderKeys }) {
  const { openClient } = await import(join(root, 'dist/index.js'))
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
