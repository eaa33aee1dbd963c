import { join } from 'node:path'

/** `wf run-worker` of the checkout `root`, as a user starts it; `processes` puts a supervisor above that many children. */
export function wfContender({ name, root }) {
  const program = join(root, 'bin/run.js')
  return {
    name,
    program,
    open: (folder) => ({ address: join(folder, 'wf.db'), close() {} }),
    command({ address, processes, handler = 'handler.mjs' }) {
      const shape = processes ? ['--processes', String(processes)] : ['--inline']
      return [program, 'run-worker', join(import.meta.dirname, handler), '--store', address, ...shape]
    },
    env: ({ durability }) => ({ WF_DURABILITY: durability === 'NORMAL' ? 'process' : 'power' }),
  }
}

export const contender = wfContender({ name: 'wf', root: join(import.meta.dirname, '../../..') })
