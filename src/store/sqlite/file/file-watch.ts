/** Reports writes to one file, if the platform supports it. */
import { watch, type FSWatcher } from 'node:fs'

export interface FileWatch {
  /** Does nothing if it is open already, or if the file can't be watched. */
  open(): void
  isOpen(): boolean
  close(): void
}

/** Doesn't keep the process alive. A replaced file is no longer watched until the next `open`. */
export function fileWatch(file: string, written: () => void): FileWatch {
  let watcher: FSWatcher | null = null
  const close = () => {
    watcher?.close()
    watcher = null
  }
  return {
    open() {
      if (watcher !== null) return
      try {
        watcher = watch(file, { persistent: false }, (event) => {
          if (event === 'rename') close()
          written()
        })
        watcher.on('error', close)
      } catch {
        // No file yet, no watches left, or a file system without watches: the poll takes over.
        watcher = null
      }
    },
    isOpen: () => watcher !== null,
    close,
  }
}
