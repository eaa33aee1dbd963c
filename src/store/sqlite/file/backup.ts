/** Backs up a live store through SQLite: a copied file would miss what is still in the WAL. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { WfError } from '../../../errors.ts'
import { createFile, type Connection } from './connection.ts'

const pagesPerStep = 2_000

/**
 * The backup is complete and checked before it gets its name; mode 0600. It holds every commit made before the call, whatever is written
 * meanwhile. Nothing else may use `source` until this resolves, and it must be in no transaction: of a connection that writes,
 * SQLite silently copies nothing. A store in memory has nothing to copy.
 */
export async function backupTo(source: Connection, target: string): Promise<void> {
  if (source.memory) return
  const unfinished = `${target}.unfinished-${process.pid}`
  const remove = () => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${end}`, { force: true })
  }
  try {
    remove()
    createFile(unfinished)
    await copy(source, unfinished)
    check(unfinished)
    sync(unfinished, 'r+')
    renameSync(unfinished, target)
  } catch (error) {
    remove()
    throw error
  }
  if (process.platform !== 'win32') sync(dirname(target), 'r')
}

/** In a read transaction; otherwise the copy restarts at each commit of another process, and might never end. */
async function copy(source: Connection, target: string): Promise<void> {
  source.exec('BEGIN')
  try {
    const pages = source.pragma('page_count', { simple: true })
    const { totalPages } = await source.backup(target, { progress: () => pagesPerStep })
    if (totalPages === pages) return
    throw new WfError(
      'store_unavailable',
      `the backup ${target} has ${totalPages} pages instead of ${String(pages)}`,
      {
        hint: 'Try again; the store itself was not changed.',
      },
    )
  } finally {
    if (source.inTransaction) source.exec('COMMIT')
  }
}

function check(file: string): void {
  const copied = new Database(file, { timeout: 0 })
  try {
    const found = copied.pragma('integrity_check(3)', { simple: true })
    if (found !== 'ok')
      throw new WfError('store_corrupt', `the backup ${file} is not sound: ${String(found)}`, {
        hint: 'Check the disk; the store itself was not changed.',
      })
    copied.pragma('journal_mode = DELETE') // one file, no WAL beside it
  } finally {
    copied.close()
  }
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
