/** A way to call every command: one that does its work, and one that is refused. Whatever is told of every command is told of these. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostileStore } from './hostile-store.ts'
import { temporaryDirectory } from './open-test-store.ts'

export interface Calls {
  /** Does its work; in this order, on one store. */
  works(store: HostileStore): readonly string[]
  /** Is refused. */
  fails: readonly string[]
  /** Prints a JSON document a line instead of one document. */
  lines?: boolean
}

/** A command that is not here fails the test: every one is walked through everything below. */
export const calls: Readonly<Record<string, Calls>> = {
  enqueue: { works: () => ['enqueue', 'mail', '{"a":1}'], fails: ['enqueue', 'mail', '{oops'] },
  dashboard: {
    works: () => ['dashboard', '--once', '--screen', 'incidents'],
    fails: ['dashboard', '--once', '--screen', 'nonsense'],
  },
  'run-worker': {
    works: () => ['run-worker', emptyHandler(), '--until-empty'],
    fails: ['run-worker', './nowhere.ts'],
    lines: true,
  },
  init: { works: () => ['init', join(temporaryDirectory(), 'shop')], fails: ['init', '/dev/null/shop'] },
  'jobs:list': { works: () => ['jobs', 'list'], fails: ['jobs', 'list', '--state', 'nonsense'] },
  'jobs:show': { works: ({ failed }) => ['jobs', 'show', String(failed)], fails: ['jobs', 'show', '4711'] },
  'jobs:explain': {
    works: ({ failed }) => ['jobs', 'explain', String(failed)],
    fails: ['jobs', 'explain', '4711'],
  },
  'jobs:export': {
    works: ({ failed }) => ['jobs', 'export', String(failed)],
    fails: ['jobs', 'export', '4711'],
  },
  'jobs:update': {
    works: ({ waiting }) => ['jobs', 'update', String(waiting), '--priority', '5'],
    fails: ['jobs', 'update', '4711', '--retries', '2'],
  },
  'jobs:retry': {
    works: ({ waiting }) => ['jobs', 'retry', String(waiting)],
    fails: ['jobs', 'retry', '4711'],
  },
  'jobs:cancel': {
    works: ({ available }) => ['jobs', 'cancel', String(available)],
    fails: ['jobs', 'cancel'],
  },
  'incidents:list': {
    works: () => ['incidents', 'list', '--closed'],
    fails: ['incidents', 'list', '--limit', '0'],
  },
  'incidents:show': {
    works: ({ failed }) => ['incidents', 'show', String(failed)],
    fails: ['incidents', 'show', '4711'],
  },
  'incidents:resolve': {
    works: () => ['incidents', 'resolve', '--dry-run'],
    fails: ['incidents', 'resolve', '4711'],
  },
  'dlq:list': { works: () => ['dlq', 'list', '--closed'], fails: ['dlq', 'list', '--kind', 'x'] },
  'dlq:show': { works: ({ dead }) => ['dlq', 'show', String(dead)], fails: ['dlq', 'show', '4711'] },
  'dlq:retry': { works: ({ dead }) => ['dlq', 'retry', String(dead), '--dry-run'], fails: ['dlq', 'retry'] },
  'dlq:discard': { works: ({ dead }) => ['dlq', 'discard', String(dead)], fails: ['dlq', 'discard', '4711'] },
  'dlq:export': {
    works: () => ['dlq', 'export', '--closed'],
    fails: ['dlq', 'export', '--limit', '0'],
    lines: true,
  },
  'dlq:purge': {
    works: ({ dead }) => ['dlq', 'purge', String(dead), '--open', '--dry-run'],
    fails: ['dlq', 'purge', '4711'],
  },
  'workers:list': { works: () => ['workers', 'list'], fails: ['workers', 'list', '--nonsense'] },
  'workers:drain': {
    works: () => ['workers', 'drain', 'w#1', '--dry-run'],
    fails: ['workers', 'drain', 'nobody'],
  },
  'workers:release': {
    works: () => ['workers', 'release', 'w#1', '--force'],
    fails: ['workers', 'release', 'nobody'],
  },
  'types:list': { works: () => ['types', 'list'], fails: ['types', 'list', 'stray'] },
  'types:pause': {
    works: () => ['types', 'pause', 'mail', '--reason', 'r', '--force'],
    fails: ['types', 'pause'],
  },
  'types:resume': { works: () => ['types', 'resume', 'mail'], fails: ['types', 'resume', 'chrage-payment'] },
  'breakers:list': { works: () => ['breakers', 'list'], fails: ['breakers', 'list', 'stray'] },
  'breakers:show': { works: () => ['breakers', 'show', 'stripe'], fails: ['breakers', 'show', 'nobody'] },
  'breakers:history': {
    works: () => ['breakers', 'history', 'stripe'],
    fails: ['breakers', 'history', 'nobody'],
  },
  'breakers:trip': {
    works: () => ['breakers', 'trip', 'mailer', '--for', '10m', '--reason', 'r'],
    fails: ['breakers', 'trip', 'mailer'],
  },
  'breakers:close': { works: () => ['breakers', 'close', 'stripe'], fails: ['breakers', 'close', 'nobody'] },
  'idempotency:list': {
    works: () => ['idempotency', 'list'],
    fails: ['idempotency', 'list', '--limit', '0'],
  },
  'idempotency:show': {
    works: ({ running }) => ['idempotency', 'show', String(running)],
    fails: ['idempotency', 'show', '4711'],
  },
  'idempotency:forget': {
    works: ({ running }) => ['idempotency', 'forget', String(running), '--dry-run'],
    fails: ['idempotency', 'forget', '4711'],
  },
  'audit:list': { works: () => ['audit', 'list'], fails: ['audit', 'list', '--verb', 'nonsense'] },
  'audit:show': {
    works: ({ operation }) => ['audit', 'show', String(operation)],
    fails: ['audit', 'show', '4711'],
  },
  tail: {
    works: () => ['tail', '--since', '1h', '--for', '1ms'],
    fails: ['tail', '--kind', 'nonsense'],
    lines: true,
  },
  completion: { works: () => ['completion', 'bash'], fails: ['completion', 'tcsh'] },
  stats: { works: () => ['stats'], fails: ['stats', '--by', 'nonsense'] },
  metrics: { works: () => ['metrics'], fails: ['metrics', '--nonsense'] },
  triage: { works: () => ['triage', '--json'], fails: ['triage', '--limit', '0'] },
  undo: { works: ({ operation }) => ['undo', String(operation), '--dry-run'], fails: ['undo', '4711'] },
  'db:migrate': { works: () => ['db', 'migrate'], fails: ['db', 'migrate', '--store', '/nowhere/at/all.db'] },
  'db:status': { works: () => ['db', 'status'], fails: ['db', 'status', '--store', '/nowhere/at/all.db'] },
}

function emptyHandler(): string {
  const path = join(temporaryDirectory(), 'handler.mjs')
  writeFileSync(
    path,
    "console.log('a handler prints while it is imported')\nexport default { type: 'nothing-to-do', run() {} }\n",
  )
  return path
}
