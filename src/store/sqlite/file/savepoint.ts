import type { Connection } from './connection.ts'

/** Runs `work` in a savepoint: if it throws, its writes are rolled back and the transaction goes on. */
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
      // A full disk or a damaged file ends the whole transaction.
      if (db.inTransaction) {
        undo.run()
        release.run()
      }
      throw error
    }
  }
}
