/**
 * Upgrades a store's schema to this program's version. Each step is one transaction that takes its version
 * row first, so any number of processes may start at once: one does the step, the others wait and find it done. A new store
 * is created in one transaction, so a reader finds nothing yet, or all of it.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../../../clock.ts'
import { WfError } from '../../../errors.ts'
import { backupTo } from './backup.ts'
import { openReader, type Connection } from './connection.ts'
import { whileLocked, type LockWait } from './lock-wait.ts'
import { migrations } from './migrations.ts'
import type { Migration } from './migrations/migration.ts'

export const schemaVersion = migrations.length

/** 0 if the file holds no store. */
export function versionOf(db: Connection): number {
  const table = db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'wf_migrations'")
    .get()
  if (table === undefined) return 0
  return db.prepare<[], number>('SELECT coalesce(max(version), 0) FROM wf_migrations').pluck().get() ?? 0
}

export async function migrate(
  db: Connection,
  wait: LockWait,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (step.version !== index + 1)
      throw new WfError(
        'unexpected',
        `schema step ${index + 1} is missing: the next one known is ${step.version} (${step.name})`,
      )
  }
  if ((await whileLocked(wait, () => versionOf(db))) === 0) await makeWhole(db, steps, wait)
  const found = await whileLocked(wait, () => versionOf(db))
  refuseNewer(found, steps.length, wait.location)
  for (const step of steps.slice(found))
    await takeStep(db, step, { wait, known: steps.length, backup: step.version === found + 1 && found > 0 })
}

function makeWhole(db: Connection, steps: readonly Migration[], wait: LockWait): Promise<void> {
  return alone(db, wait, async () => {
    if (versionOf(db) === 0) for (const step of steps) apply(db, step, wait.clock)
  })
}

async function takeStep(
  db: Connection,
  step: Migration,
  { wait, known, backup }: { wait: LockWait; known: number; backup: boolean },
): Promise<void> {
  // If no second connection can read, this one copies itself before it begins; no one else writes then either.
  const excludes = db.pragma('locking_mode', { simple: true }) === 'exclusive'
  if (backup && excludes) await backupTo(db, backupName(wait, step.version - 1))
  await alone(db, wait, async () => {
    const found = versionOf(db)
    refuseNewer(found, known, wait.location)
    if (found !== step.version - 1) return
    // The lock is kept, so nothing is written between the copy and the change.
    if (backup && !excludes) await backupOf(wait, found)
    apply(db, step, wait.clock)
  })
}

/** In one transaction, with the write lock. */
async function alone(db: Connection, wait: LockWait, change: () => Promise<void>): Promise<void> {
  await whileLocked(wait, () => db.exec('BEGIN IMMEDIATE'))
  try {
    await change()
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function apply(db: Connection, step: Migration, clock: Clock): void {
  recordStep(db, step, clock)
  step.up(db)
}

function recordStep(db: Connection, { version, name }: Migration, clock: Clock): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS wf_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
  )
  db.prepare('INSERT INTO wf_migrations (version, name, applied_at) VALUES (?, ?, ?)').run(
    version,
    name,
    clock.now(),
  )
}

async function backupOf(wait: LockWait, version: number): Promise<void> {
  if (wait.location === ':memory:') return
  const target = backupName(wait, version)
  const reader = await whileLocked(wait, () => openReader(wait.location))
  try {
    removeAbandoned(target)
    await backupTo(reader, target)
  } finally {
    reader.close()
  }
}

/** The lock is ours, so an unfinished backup is from a killed process. */
function removeAbandoned(target: string): void {
  const started = `${basename(target)}.unfinished-`
  for (const name of readdirSync(dirname(target)))
    if (name.startsWith(started)) rmSync(join(dirname(target), name), { force: true })
}

/** One name for each version, so that repeated upgrades don't fill the disk with copies. */
function backupName({ location }: LockWait, version: number): string {
  return `${location}.schema-${version}.backup`
}

export function refuseNewer(found: number, known: number, location: string): void {
  if (found <= known) return
  throw new WfError(
    'schema_newer',
    `the store ${location} has schema version ${found}; this wf knows versions up to ${known}`,
    {
      hint: 'Use the wf release that wrote it, or a newer one. Nothing was changed.',
    },
  )
}

/** For commands and clients: an upgrade would end workers of an older wf. Throws WfError `schema_older` while one lives. */
export function refuseBusy(db: Connection, { location, clock }: LockWait): void {
  const found = versionOf(db)
  if (found === 0 || found >= schemaVersion) return
  const alive =
    db
      .prepare<[number], number>('SELECT count(*) FROM wf_workers WHERE lease_until > ?')
      .pluck()
      .get(clock.now()) ?? 0
  if (alive === 0) return
  const workers = alive === 1 ? '1 worker process' : `${alive} worker processes`
  throw new WfError(
    'schema_older',
    `the store ${location} has schema version ${found}, this wf needs ${schemaVersion}, and ${workers} of an older wf would end`,
    {
      hint: 'Use their release of wf, or stop them first. `wf db migrate` and a new `wf run-worker` go on all the same, after a backup.',
    },
  )
}

export function refuseOlder(found: number, location: string): void {
  if (found >= schemaVersion) return
  throw new WfError(
    'schema_older',
    `the store ${location} has schema version ${found}; this wf reads version ${schemaVersion}`,
    {
      hint: 'Use the wf release that wrote it; or run `wf db migrate`, which makes a backup first and ends workers of that release.',
    },
  )
}
