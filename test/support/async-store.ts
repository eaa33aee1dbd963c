/**
 * A store that runs plans as a store across a network has to: every read of facts and every write of changes is awaited,
 * for a random number of turns, within one transaction that no other write of this connection enters.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Random } from '../../src/random.ts'
import type { Changes } from '../../src/store/changes.ts'
import type { Facts, FactsRequest } from '../../src/store/facts.ts'
import { parts, type Plan } from '../../src/store/plan.ts'
import type { Store } from '../../src/store/port.ts'
import type { Connection } from '../../src/store/sqlite/file/connection.ts'
import { isRefusal, storeError } from '../../src/store/sqlite/file/sqlite-errors.ts'
import { rowsOf } from '../../src/store/sqlite/rows/rows.ts'
import { applier, factsReader } from '../../src/store/sqlite/transact.ts'

const mostTurns = 4

/** Writes of the port that the store runs itself. */
const ownWrites = [
  'enqueue',
  'exchange',
  'renew',
  'beginStep',
  'completeStep',
  'withdrawStep',
  'addStats',
  'prune',
] as const

export function asyncStore(store: Store, db: Connection, random: Random): Store {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    return done
  }
  const wrapped: Store = { ...store }
  for (const name of ownWrites) {
    const write = store[name] as (...args: unknown[]) => Promise<unknown>
    Object.assign(wrapped, { [name]: (...args: unknown[]) => inTurn(() => write(...args)) })
  }
  const transact = asyncTransact(db, random)
  wrapped.transact = (plan, items, now) => inTurn(() => transact(plan, items, now))
  wrapped.close = () => inTurn(() => store.close())
  return wrapped
}

function asyncTransact(db: Connection, random: Random): Store['transact'] {
  const rows = rowsOf(db)
  const [read, apply] = [factsReader(rows), applier(rows)]
  const pause = async () => {
    for (let turns = Math.floor(random() * mostTurns); turns > 0; turns--) await turn()
  }
  /** A statement a set, as a network store sends them. */
  const facts = async (request: FactsRequest): Promise<Facts> => {
    let all = read({})
    for (const [name, keys] of Object.entries(request)) {
      await pause()
      const set = name as keyof FactsRequest & keyof Facts
      all = { ...all, [set]: read({ [set]: keys })[set] }
    }
    return all
  }
  const write = async (changes: Changes) => {
    await pause()
    apply(changes)
    await pause()
  }
  async function run<Item, Answer>(plan: Plan<Item, Answer>, items: readonly Item[], now: number) {
    const answers: Answer[] = []
    for (const part of parts(plan, items)) {
      const planned = plan.plan(part, await facts(plan.facts(part)), now)
      await write(planned.changes)
      answers.push(...planned.answers)
    }
    return answers
  }
  async function runEach<Item, Answer>(plan: Plan<Item, Answer>, items: readonly Item[], now: number) {
    const { refused } = plan
    if (refused === undefined) return run(plan, items, now)
    const answers: Answer[] = []
    for (const item of items) {
      db.exec('SAVEPOINT item')
      try {
        answers.push(...(await run(plan, [item], now)))
      } catch (error) {
        if (!isRefusal(error)) throw error
        db.exec('ROLLBACK TO item')
        const planned = refused(item, error, now)
        await write(planned.changes)
        answers.push(...planned.answers)
      }
      db.exec('RELEASE item')
    }
    return answers
  }
  async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await begin(db)
    try {
      const result = await work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }
  return async (plan, items, now) => {
    try {
      return await inTransaction(() => run(plan, items, now))
    } catch (error) {
      if (!isRefusal(error)) throw storeError(error, db.name)
      return await inTransaction(() => runEach(plan, items, now)).catch((again: unknown) => {
        throw storeError(again, db.name)
      })
    }
  }
}

/** Tries at every turn while another connection writes. */
async function begin(db: Connection): Promise<void> {
  for (;;) {
    try {
      db.exec('BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')))
        throw error
      await turn()
    }
  }
}
