/** A store in which every text that a producer, handler, worker or operator can leave is out to harm the reader's terminal. */
import { beginOperation, changeBreaker, endOperation, pauseTypes, resolveJobs } from './plans.ts'
import Database from 'better-sqlite3'
import { variablesHash } from '../../src/domain/undo.ts'
import { openedBreaker } from './store-scene.ts'
import type { Store } from '../../src/store/port.ts'
import { seededStore } from './seeded-store.ts'

/** Cursor, title, clipboard and link sequences, C1 controls, bells, carriage return, direction overrides, line separators. */
export const hostile =
  '\u001b[2J\u001b[8m\u001b]0;owned\u0007\u001b]52;c;AAAA\u0007\u001b]8;;http://evil\u001b\\\u009b31m\u0090x\u009c\r\b\u0000\u007f\u202egnp.\u2066\u2028\u2029\u200b漢字👩‍👩‍👧'

/** What must never come out: everything that a terminal acts on, and what hides or turns text. */
export const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2066-\u2069]/

const secrets = {
  password: 'hunter2-secret',
  nested: { apiKey: 'hunter2-secret' },
  list: [{ token: 'hunter2-secret' }],
  url: 'https://u:hunter2-secret@host/',
  card: { cvv: 'hunter2-secret', pin: 987654321 },
  'Set-Cookie': ['sid=hunter2-secret'],
  session: { id: 'hunter2-secret' },
}

/** What of the secrets must never come out. */
export const secret = /hunter2|987654321/

export interface HostileStore {
  location: string
  failed: number
  dead: number
  completed: number
  waiting: number
  available: number
  running: number
  /** One that can be undone, with a job, a variable and flags of its own. */
  operation: number
}

export async function hostileStore(): Promise<HostileStore> {
  const { location, store, raised, dead, completed, waiting, running, join, add } = await seededStore()
  const [failed = 0] = await raised(1)
  const keys = { failed, dead: await dead(), completed: await completed({ a: 1 }), waiting: await waiting() }
  const runs = await running()
  const begun = await store.beginStep({ jobKey: runs, attempt: 1, workerId: 'w#1' }, 'charge', store.now())
  if (!('intent' in begun) || begun.intent !== 'new') throw new Error('the step was not begun')
  for (const name of ['stripe', 'evil']) await changeBreaker(store, openedBreaker(name), store.now())
  const mended = await raised(1)
  const operation = await resolvedAs(store, mended)
  await join('w#2', { leaseMs: 600_000 })
  const available = await add({ type: 'plain', idempotencyKey: 'k' })
  await pauseTypes(store, ['plain'], { paused: true, reason: 'r', who: 'w' }, store.now())
  poison(location)
  return { location, ...keys, available, running: runs, operation }
}

async function resolvedAs(store: Store, keys: readonly number[]): Promise<number> {
  const who = { who: 'w', reason: 'r' }
  const operation = await beginOperation(
    store,
    { verb: 'resolve', ...who, selector: 's', flags: {}, matched: keys.length },
    store.now(),
  )
  const set = [{ path: 'amount', value: 2, add: false }]
  await resolveJobs(
    store,
    keys.map((jobKey) => ({ jobKey, verb: 'resolve', set, operation, ...who })),
    store.now(),
  )
  await endOperation(store, operation, store.now())
  return operation
}

function poison(location: string): void {
  const db = new Database(location)
  const long = `${hostile}${'x'.repeat(10_000)}`
  const data = JSON.stringify({ [hostile]: hostile, long, ...secrets })
  const error = JSON.stringify({
    name: hostile,
    message: `${long} password=hunter2-secret {"cvv":987654321}`,
    code: hostile,
    stack: `at ${hostile}`,
    causes: [{ name: hostile, message: hostile, code: hostile }],
    truncated: false,
  })
  const update = (table: string, columns: Record<string, string>) =>
    db
      .prepare(
        `UPDATE ${table} SET ${Object.keys(columns)
          .map((column) => `${column} = ?`)
          .join(', ')}`,
      )
      .run(...Object.values(columns))
  update('wf_jobs', { type: hostile })
  update('wf_operations', {
    who: hostile,
    selector: long,
    reason: long,
    flags: JSON.stringify({ ...secrets, [hostile]: hostile, set: [{ path: 'card.pin', value: 987654321 }] }),
  })
  update('wf_operation_targets', { why: long })
  // What the operation left is what stands there now: it can be undone.
  db.prepare(
    "UPDATE wf_operation_targets SET image = json_set(image, '$.variables.before', ?, '$.variables.afterHash', ?)",
  ).run(data, variablesHash(data))
  db.prepare(
    "INSERT INTO wf_operation_targets (operation_id, job_key, name, status, why, image) SELECT id, 0, ?, 'skipped', ?, NULL FROM wf_operations",
  ).run(long, hostile)
  db.prepare("UPDATE wf_jobs SET worker_id = ? WHERE state = 'running'").run(hostile)
  update('wf_job_data', { variables: data })
  update('wf_results', { result: data })
  update('wf_attempts', { worker_id: hostile, error })
  update('wf_incidents', { type: hostile, error })
  update('wf_poison_jobs', {
    job_type: hostile,
    error_code: hostile,
    error_message: long,
    error,
    variables: data,
  })
  update('wf_history', { who: hostile, reason: hostile, detail: data })
  db.prepare("UPDATE wf_types SET type = ?, paused_by = ?, pause_reason = ? WHERE type = 'plain'").run(
    hostile,
    hostile,
    hostile,
  )
  update('wf_workers', { label: hostile, host: hostile, types: JSON.stringify([hostile]) })
  db.prepare("UPDATE wf_workers SET id = ? WHERE id = 'w#2'").run(hostile)
  const permit = `INSERT INTO wf_breaker_permits (breaker, permit, holder, expires_at) VALUES (?, 1, ?, ?)`
  db.prepare(permit).run('stripe', hostile, Date.now() + 600_000)
  update('wf_breakers', { who: hostile, reason: long, mode: 'half_open' })
  db.prepare("UPDATE wf_breakers SET name = ? WHERE name = 'evil'").run(hostile)
  const history =
    "INSERT INTO wf_history (job_key, at, event, who, reason, detail) VALUES (NULL, 1, 'breaker_opened', ?, ?, ?)"
  db.prepare(history).run(
    hostile,
    long,
    JSON.stringify({ ...secrets, [hostile]: hostile, breaker: 'stripe', untilAt: 9 }),
  )
  db.prepare('UPDATE wf_worker_idempotency SET step = ?, completed_at = intent_at, result = ?').run(
    hostile,
    data,
  )
  update('wf_idempotency_keys', { type: hostile, key: hostile })
  db.prepare(
    'INSERT INTO wf_progress (job_key, attempt, fraction, note, at) SELECT key, attempt, 0.5, ?, created_at FROM wf_jobs',
  ).run(hostile)
  db.close()
}
