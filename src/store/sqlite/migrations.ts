/** Every step of the schema, in order. A released step is never changed: a new one is added. */
import type { Migration } from './migrations/migration.ts'
import { firstSchema } from './migrations/0001-jobs.ts'

export const migrations: readonly Migration[] = [firstSchema]
