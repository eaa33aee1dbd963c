/** A copy of a live store, made by the engine: a copied file would miss what is still in the WAL. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WfError } from '../../domain/errors.ts'
import { createFile, type Connection } from './connection.ts'

const pagesPerStep = 2_000

/** Complete and checked before it has its name; mode 0600. Holds every commit made before the call. A store in memory has nothing to copy. */
export async function backupTo(db: Connection, target: string): Promise<void> {
  if (db.memory) return
  const unfinished = `${target}.unfinished-${process.pid}`
  try {
    createFile(unfinished)
    await db.backup(unfinished, { progress: () => pagesPerStep })
    check(unfinished)
    sync(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

function check(file: string): void {
  const copy = new Database(file, { timeout: 0 })
  try {
    const found = copy.pragma('integrity_check(3)', { simple: true })
    if (found !== 'ok')
      throw new WfError('store_corrupt', `the backup ${file} is not sound: ${String(found)}`, {
        hint: 'Check the disk; the store itself was not changed.',
      })
    copy.pragma('journal_mode = DELETE') // one file, no WAL beside it
  } finally {
    copy.close()
  }
}

function sync(file: string): void {
  const handle = openSync(file, 'r+')
  fsyncSync(handle)
  closeSync(handle)
}
