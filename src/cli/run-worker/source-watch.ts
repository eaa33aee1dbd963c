/** Calls `changed` when a handler module, or a module beside it, was written. Returns a function that stops watching. */
import { type FSWatcher, watch } from 'node:fs'
import { dirname, extname } from 'node:path'
import type { Cancel, Clock } from '../../clock.ts'

const sources = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json'])

/** Editors write a file in several steps. */
const quietMs = 200

export function watchSources(files: readonly string[], clock: Clock, changed: () => void): Cancel {
  let pending: Cancel = () => {}
  const heard = (_event: string, name: string | null) => {
    if (name !== null && !sources.has(extname(name))) return
    pending()
    pending = clock.after(quietMs, changed, { unref: true })
  }
  const watchers = [...new Set(files.map((file) => dirname(file)))].map((folder): FSWatcher => {
    const watcher = watch(folder, { persistent: false }, heard)
    // A folder that is taken away is watched no longer; the worker goes on.
    watcher.on('error', () => watcher.close())
    return watcher
  })
  return () => {
    pending()
    for (const watcher of watchers) watcher.close()
  }
}
