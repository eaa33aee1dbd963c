/** Checks the driver and its SQLite before a file is touched. */
import Database from 'better-sqlite3'
import { WfError } from '../../../errors.ts'
import { engineVersion, type Connection } from './connection.ts'

/** Older engines can lose commits when two connections write and checkpoint at once (SQLite's WAL-reset bug, fixed in 3.51.3). */
const oldestEngine = [3, 51, 3] as const

let isSound = false

/** Throws WfError `store_unavailable` with the versions of Node.js and the ABI. */
export function checkDriver(): void {
  if (isSound) return
  const db = load()
  try {
    refuseOldEngine(engineVersion(db))
  } finally {
    db.close()
  }
  isSound = true
}

/** The native module is loaded by the first connection. */
function load(): Connection {
  try {
    return new Database(':memory:')
  } catch (error) {
    const node = `Node.js ${process.version} (ABI ${process.versions.modules})`
    throw new WfError(
      'store_unavailable',
      `the native module of better-sqlite3 does not load in ${node}: ${reasonOf(error)}`,
      {
        hint: 'Run `npm rebuild better-sqlite3` with the Node.js that runs wf.',
        cause: error,
      },
    )
  }
}

function reasonOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error)
  const builtFor = /NODE_MODULE_VERSION (\d+)/.exec(words)?.[1]
  if (builtFor !== undefined) return `it was built for ABI ${builtFor}`
  const [first = ''] = words.split('\n')
  return first.replace(/ Tried:$/, '')
}

export function refuseOldEngine(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [index, wanted] of oldestEngine.entries()) {
    const part = parts[index] ?? 0
    if (part > wanted) return
    if (part < wanted) {
      throw new WfError(
        'store_unavailable',
        `SQLite ${version} can lose committed jobs when two processes write at once; wf needs ${oldestEngine.join('.')} or newer`,
        {
          hint: 'Install better-sqlite3 12.11 or newer.',
        },
      )
    }
  }
}
