import type { Connection } from '../connection.ts'

/** One step of the schema. */
export interface Migration {
  /** From 1, without gaps. */
  version: number
  name: string
  /** Runs inside the step's transaction. */
  up(db: Connection): void
}
