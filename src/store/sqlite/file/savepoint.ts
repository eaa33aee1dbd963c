import type { Connection } from './connection.ts'

/** Runs `work` so that, if it throws, nothing of it stays while the transaction around it goes on. */
export type Savepoint = <T>(work: () => T) => T

export function savepointOf(db: Connection): Savepoint {
  const begin = db.prepare('SAVEPOINT wf_part')
  const release = db.prepare('RELEASE wf_part')
  const undo = db.prepare('ROLLBACK TO wf_part')
  return (work) => {
    begin.run()
    try {
      const result = work()
      release.run()
      return result
    } catch (error) {
      // A full disk or a broken file has ended the whole transaction already.
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      throw error
    }
  }
}
