import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** `wf run-worker` as a user starts it; `processes` puts a supervisor above that many children. */
export const contender = {
  name: 'wf',
  open: (folder) => ({ address: join(folder, 'wf.db'), close() {} }),
  command({ address, processes, handler = 'handler.mjs' }) {
    const shape = processes ? ['--processes', String(processes)] : ['--inline']
    return [
      join(root, 'bin/run.js'),
      'run-worker',
      join(import.meta.dirname, handler),
      '--store',
      address,
      ...shape,
    ]
  },
  env: ({ durability }) => ({ WF_DURABILITY: durability === 'NORMAL' ? 'process' : 'power' }),
}
