/** wf_idempotency_keys: producers' keys, kept for their retention time, with or without the job. */
import type { Connection } from '../file/connection.ts'

export interface IdempotencyKeysTable {
  find(type: string, key: string): { hash: string; jobKey: number } | null
  add(row: { type: string; key: string; hash: string; jobKey: number }, now: number): void
  keyOf(jobKey: number): string | null
  /** Deletes at most `limit` keys created before `before`; returns how many. */
  prune(before: number, limit: number): number
}

export function idempotencyKeysTable(db: Connection): IdempotencyKeysTable {
  const find = db.prepare<[string, string], { hash: string; jobKey: number }>(
    'SELECT hash, job_key AS jobKey FROM wf_idempotency_keys WHERE type = ? AND key = ?',
  )
  const add = db.prepare(
    'INSERT INTO wf_idempotency_keys (type, key, hash, job_key, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const keyOf = db.prepare<[number], string>('SELECT key FROM wf_idempotency_keys WHERE job_key = ?').pluck()
  const prune = db.prepare(
    'DELETE FROM wf_idempotency_keys WHERE (type, key) IN (SELECT type, key FROM wf_idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ?)',
  )
  return {
    find: (type, key) => find.get(type, key) ?? null,
    add(row, now) {
      add.run(row.type, row.key, row.hash, row.jobKey, now)
    },
    keyOf: (jobKey) => keyOf.get(jobKey) ?? null,
    prune: (before, limit) => prune.run(before, limit).changes,
  }
}
