import { Queue } from 'bullmq'
import { openConnection } from './connect.mjs'

export async function connect(options) {
  const connection = openConnection(options)
  const queue = new Queue('bench', { connection })
  await queue.waitUntilReady()
  return {
    add: (variables) => queue.add('bench', variables),
    addMany: (list) => queue.addBulk(list.map((data) => ({ name: 'bench', data }))),
    async counts() {
      const {
        completed = 0,
        waiting = 0,
        active = 0,
        delayed = 0,
        failed = 0,
        prioritized = 0,
      } = await queue.getJobCounts()
      return { completed, unfinished: waiting + active + delayed + failed + prioritized }
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}
