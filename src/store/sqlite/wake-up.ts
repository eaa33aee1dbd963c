import type { Clock } from '../../clock.ts'
import type { Connection } from './connection.ts'

export interface WakeUp {
  watch(changed: () => void): () => void
  /** A transaction of this connection has ended. */
  ownCommit(): void
  /** Somebody looked for due jobs, and found some or none. */
  looked(found: boolean): void
  close(): void
}

export function wakeUp(db: Connection, { clock }: { clock: Clock; location: string }): WakeUp {
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()
  const watchers = new Set<() => void>()
  return {
    watch(changed) {
      let seen = version.get()
      const look = () => {
        const now = version.get()
        if (now !== seen) changed()
        seen = now
        cancel = clock.after(50, look, { unref: true })
      }
      let cancel = clock.after(50, look, { unref: true })
      const end = () => {
        cancel()
        watchers.delete(end)
      }
      watchers.add(end)
      return end
    },
    ownCommit() {},
    looked() {},
    close() {
      for (const end of watchers) end()
    },
  }
}
