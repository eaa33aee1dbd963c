/** Every step of the schema, in order. A released step is never changed: a new one is added. */
import type { Migration } from './migrations/migration.ts'
import { firstSchema } from './migrations/0001-jobs.ts'
import { resilienceSchema } from './migrations/0002-resilience.ts'
import { timedPauses } from './migrations/0003-timed-pauses.ts'
import { operationsSchema } from './migrations/0004-operations.ts'
import { causesSchema } from './migrations/0005-causes.ts'
import { activitySchema } from './migrations/0006-activity.ts'
import { imagesSchema } from './migrations/0007-images.ts'

export const migrations: readonly Migration[] = [
  firstSchema,
  resilienceSchema,
  timedPauses,
  operationsSchema,
  causesSchema,
  activitySchema,
  imagesSchema,
]
