import { join } from 'node:path'

export const contender = {
  name: 'raw',
  open: (folder) => ({ address: join(folder, 'raw.db'), close() {} }),
  command: () => [join(import.meta.dirname, 'worker.mjs')],
}
