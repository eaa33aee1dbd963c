/** The tables of one connection. Each table's statements are prepared once, when the table is first used. */
import type { Connection } from '../file/connection.ts'
import { attemptsTable } from './attempts.ts'
import { breakersTable } from './breakers.ts'
import { deadLettersTable } from './dead-letters.ts'
import { historyTable } from './history.ts'
import { idempotencyKeysTable } from './idempotency-keys.ts'
import { incidentsTable } from './incidents.ts'
import { jobDataTable } from './job-data.ts'
import { typesTable } from './job-types.ts'
import { jobsTable } from './jobs.ts'
import { operationsTable } from './operations.ts'
import { statsTable } from './stats.ts'
import { stepsTable } from './steps.ts'
import { workersTable } from './workers.ts'

const tables = {
  attempts: attemptsTable,
  breakers: breakersTable,
  data: jobDataTable,
  deadLetters: deadLettersTable,
  history: historyTable,
  idempotencyKeys: idempotencyKeysTable,
  incidents: incidentsTable,
  jobs: jobsTable,
  operations: operationsTable,
  stats: statsTable,
  steps: stepsTable,
  types: typesTable,
  workers: workersTable,
} as const

export type Rows = { readonly [K in keyof typeof tables]: ReturnType<(typeof tables)[K]> } & {
  readonly db: Connection
}

export function rowsOf(db: Connection): Rows {
  const rows = { db }
  for (const [name, table] of Object.entries(tables)) {
    let made: unknown
    Object.defineProperty(rows, name, { enumerable: true, get: () => (made ??= table(db)) })
  }
  return rows as Rows
}
