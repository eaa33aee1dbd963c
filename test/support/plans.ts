/** The plans of the engine, as functions of a store. */
import { type LocalBreaker, type NamedBreaker, sharedAt } from '../../src/domain/breaker-row.ts'
import type { NewOperation, NewTarget, Operation, TargetName, Undone } from '../../src/domain/operation.ts'
import type { Purge } from '../../src/domain/retention.ts'
import type { Applied, Resolution } from '../../src/domain/resolution.ts'
import type { ForgetSteps, Step } from '../../src/domain/step.ts'
import * as breakers from '../../src/engine/plans/breakers.ts'
import { pauseAfterStops } from '../../src/engine/plans/auto-pause.ts'
import * as operations from '../../src/engine/plans/operations.ts'
import { pauseType, type PauseChange } from '../../src/engine/plans/pauses.ts'
import { purgeLetter } from '../../src/engine/plans/purge.ts'
import { resolve } from '../../src/engine/plans/resolve.ts'
import * as steps from '../../src/engine/plans/steps.ts'
import { stop, type Stop } from '../../src/engine/plans/stop.ts'
import { undo } from '../../src/engine/plans/undo.ts'
import * as workers from '../../src/engine/plans/workers.ts'
import { targetName } from '../../src/store/facts.ts'
import { type Plan, planOf } from '../../src/store/plan.ts'
import type { Exchanged, ExchangeRequest, Store } from '../../src/store/port.ts'
import type { TypeDeclaration, WorkerRow } from '../../src/store/views.ts'

type Writer = Pick<Store, 'transact'>

async function one<Item, Answer>(
  store: Writer,
  plan: Plan<Item, Answer>,
  item: Item,
  now: number,
): Promise<Answer> {
  const answers = await store.transact(plan, [item], now)
  if (answers.length !== 1) throw new Error(`${answers.length} answers to one item`)
  return answers[0] as Answer
}

/** An exchange as the engine makes it; answers the types that it paused too. */
export async function exchange(
  store: Pick<Store, 'exchange'>,
  request: Omit<ExchangeRequest<never>, 'follow'>,
  now: number,
): Promise<Omit<Exchanged<never>, 'followed'> & { paused: readonly string[] }> {
  const { followed, ...exchanged } = await store.exchange({ ...request, follow: pauseAfterStops }, now)
  return { ...exchanged, paused: followed.flatMap(({ type, paused }) => (paused ? [type] : [])) }
}

export const stepsOf = async (store: Pick<Store, 'job'>, jobKey: number): Promise<readonly Step[]> =>
  (await store.job(jobKey))?.steps ?? []

/** Runs this plan by `run` instead, until the returned function is called. `proceed` runs it as usual. */
export function intercept<Item, Answer>(
  store: Writer,
  plan: Plan<Item, Answer>,
  run: (
    items: readonly Item[],
    now: number,
    proceed: () => Promise<readonly Answer[]>,
  ) => Promise<readonly Answer[]>,
): () => void {
  const { transact } = store
  const intercepted = (other: Plan<unknown, unknown>, items: readonly unknown[], now: number) =>
    (other as unknown) === plan
      ? run(items as readonly Item[], now, () => transact(plan, items as readonly Item[], now))
      : transact(other, items, now)
  store.transact = intercepted as Store['transact']
  return () => {
    store.transact = transact
  }
}

export const resolveJobs = (
  store: Writer,
  batch: readonly Resolution[],
  now: number,
): Promise<readonly Applied[]> => store.transact(resolve, batch, now)

export const purgeLetters = (
  store: Writer,
  { keys, ...purge }: Omit<Purge, 'jobKey'> & { keys: readonly number[] },
  now: number,
): Promise<readonly Applied[]> =>
  store.transact(
    purgeLetter,
    keys.map((jobKey) => ({ ...purge, jobKey })),
    now,
  )

export const stopJobs = (store: Writer, batch: readonly Stop[], now: number): Promise<readonly boolean[]> =>
  store.transact(stop, batch, now)

export interface UndoBatch {
  /** The undo's own operation. */
  operation: number
  of: number
  targets: readonly TargetName[]
  who: string
  reason: string | null
}

export async function undoTargets(
  store: Writer & Pick<Store, 'operationTargets'>,
  { targets, ...batch }: UndoBatch,
  now: number,
): Promise<readonly Undone[]> {
  const kept = new Map<string, boolean>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) }
    const { items, next } = await store.operationTargets(batch.of, page)
    for (const { jobKey, name, image } of items)
      kept.set(targetName({ operation: batch.of, jobKey, name }), image?.of === 'job' && 'variables' in image)
    cursor = next
  }
  const items = targets.map(({ jobKey, name }) => ({
    ...{ ...batch, jobKey, name },
    hasVariables: kept.get(targetName({ operation: batch.of, jobKey, name })) ?? false,
  }))
  return store.transact(undo, items, now)
}

export async function registerWorkers(store: Writer, rows: readonly WorkerRow[], now: number): Promise<void> {
  await store.transact(workers.registerWorkers, rows, now)
}

export async function setWorkerState(
  store: Writer,
  ids: readonly string[],
  { state, drain }: { state: WorkerRow['state']; drain?: workers.WorkerDrain },
  now: number,
): Promise<void> {
  const items = ids.map((id) => ({ id, state, ...(drain && { drain }) }))
  await store.transact(workers.setWorkerState, items, now)
}

export async function retireWorkers(
  store: Writer,
  ids: readonly string[],
  now: number,
  release?: workers.WorkerRelease,
): Promise<void> {
  const items = ids.map((id) => ({ id, ...(release && { release }) }))
  await store.transact(workers.retireWorkers, items, now)
}

export async function declareTypes(
  store: Writer,
  types: readonly TypeDeclaration[],
  now: number,
): Promise<void> {
  await store.transact(workers.declareTypes, types, now)
}

/** Answers the types whose state changed. */
export async function pauseTypes(
  store: Writer,
  types: readonly string[],
  change: PauseChange,
  now: number,
): Promise<readonly string[]> {
  const changed = await store.transact(
    pauseType,
    types.map((type) => ({ ...change, type })),
    now,
  )
  return types.filter((_, index) => changed[index])
}

export const changeBreaker = (
  store: Writer,
  change: breakers.BreakerChange,
  now: number,
): Promise<breakers.ChangedBreaker> => one(store, breakers.changeBreaker, change, now)

/** Makes a breaker what no event would have made it, with the history of the change. */
export async function setBreaker(store: Writer, row: NamedBreaker, now: number): Promise<void> {
  const plan = planOf<NamedBreaker, null>({
    key: ({ name }) => name,
    facts: ({ name }) => ({ breakers: [name] }),
    plan(after, facts) {
      const before = facts.breakers.get(after.name) ?? null
      const { changes } = breakers.written(before, after, { ...after, at: sharedAt(after.terms, now) })
      return { answer: null, changes }
    },
  })
  await one(store, plan, row, now)
}

export async function reportBreakers(
  store: Writer,
  id: string,
  reported: readonly LocalBreaker[],
): Promise<void> {
  await store.transact(workers.reportBreakers, [{ id, breakers: reported }], 0)
}

export const forgetSteps = (store: Writer, forget: ForgetSteps, now: number): Promise<readonly string[]> =>
  one(store, steps.forgetSteps, forget, now)

export const beginOperation = (store: Writer, operation: NewOperation, now: number): Promise<number> =>
  one(store, operations.beginOperation, operation, now)

export async function addOperationTargets(
  store: Writer,
  id: number,
  targets: readonly NewTarget[],
  now: number,
): Promise<void> {
  await store.transact(
    operations.addTarget,
    targets.map((target) => ({ operation: id, target })),
    now,
  )
}

export const endOperation = (store: Writer, id: number, now: number): Promise<Operation> =>
  one(store, operations.endOperation, { operation: id }, now)
