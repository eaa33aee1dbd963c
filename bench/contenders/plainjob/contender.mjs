import { join } from 'node:path'

export const contender = {
  name: 'plainjob',
  open: (folder) => ({ address: join(folder, 'plainjob.db'), close() {} }),
  command: () => [join(import.meta.dirname, 'worker.mjs')],
}
