/** Notices writes to one file, where the platform can tell of them. */
import { watch, type FSWatcher } from 'node:fs'

export interface FileWatch {
  /** Does nothing when it is open, or when the file cannot be watched. */
  open(): void
  isOpen(): boolean
  close(): void
}

/** Does not keep the process alive. A file that is replaced is watched no more until the next `open`. */
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
        // No such file yet, no watches left, or a file system that has none: the poll does it.
        watcher = null
      }
    },
    isOpen: () => watcher !== null,
    close,
  }
}
