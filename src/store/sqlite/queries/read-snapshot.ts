/** Runs several reads on one snapshot, so that a job that changes state between two of them is neither counted twice nor missed. */
import type { Connection } from '../file/connection.ts'

/** `read` must not write: a transaction that reads first and then writes can meet a lock that no waiting ends. */
export function atOneMoment<A extends unknown[], R>(
  db: Connection,
  read: (...args: A) => R,
): (...args: A) => R {
  return db.transaction(read)
}
