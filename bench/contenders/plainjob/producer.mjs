import { JobStatus } from 'plainjob'
import { openQueue } from './connect.mjs'

/** Its calls are synchronous: what returns is committed. */
export function connect(options) {
  const queue = openQueue(options)
  return {
    add: (variables) => queue.add('bench', variables),
    addMany: (list) => queue.addMany('bench', list),
    counts: () => ({
      completed: queue.countJobs({ status: JobStatus.Done }),
      unfinished:
        queue.countJobs({ status: JobStatus.Pending }) + queue.countJobs({ status: JobStatus.Processing }),
    }),
    close: () => queue.close(),
  }
}
