import { join } from 'node:path'
import { startRedis } from '../../lib/redis.mjs'

export const contender = {
  name: 'bullmq',
  /** A Redis of its own for each measurement, fresh, with the append-only file on. */
  open: (folder) => startRedis(folder),
  command: () => [join(import.meta.dirname, 'worker.mjs')],
}
