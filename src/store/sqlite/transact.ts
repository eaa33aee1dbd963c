/** Runs plans inside an open transaction: reads their facts, writes their changes. */
import type { ChangedRows, Changes } from '../changes.ts'
import { targetName, type Facts, type FactsRequest } from '../facts.ts'
import { parts, type Plan } from '../plan.ts'
import type { Rows } from './rows/rows.ts'

export type Transact = <Item, Answer>(
  plan: Plan<Item, Answer>,
  items: readonly Item[],
  now: number,
) => readonly Answer[]

/** Runs one item of a batch so that its writes can be rolled back alone; answers `refused` for an error of that item. */
export type Alone = <T>(work: () => T, refused: (error: Error) => T) => T

export interface Transactor {
  run: Transact
  /** Item by item, so that one that the database refuses leaves the others standing. */
  runEach: Transact
}

export function transactor(rows: Rows, alone: Alone): Transactor {
  const read = factsReader(rows)
  const apply = applier(rows)
  const run: Transact = (plan, items, now) =>
    parts(plan, items).flatMap((part) => {
      const { changes, answers } = plan.plan(part, read(plan.facts(part)), now)
      apply(changes)
      return answers
    })
  return {
    run,
    runEach(plan, items, now) {
      const { refused } = plan
      if (refused === undefined) return run(plan, items, now)
      return items.flatMap((item) =>
        alone(
          () => run(plan, [item], now),
          (error) => {
            const { changes, answers } = refused(item, error, now)
            apply(changes)
            return answers
          },
        ),
      )
    },
  }
}

export function factsReader(rows: Rows): (request: FactsRequest) => Facts {
  const { breakers, data, deadLetters, incidents, jobs, operations, steps, types, workers } = rows
  return (request) => ({
    jobs: found(request.jobs, jobs.get),
    variables: found(request.variables, data.variables),
    incidents: found(request.incidents, incidents.facts),
    deadLetters: found(request.deadLetters, deadLetters.get),
    effects: found(request.effects, (key) => ({ epoch: data.effectsEpoch(key), steps: steps.names(key) })),
    types: found(request.types, types.get),
    breakers: found(request.breakers, breakers.get),
    workers: found(request.workers, workers.get),
    operations: found(request.operations, operations.get),
    targets: new Map(
      (request.targets ?? []).flatMap((key) => {
        const target = operations.target(key)
        return target === null ? [] : [[targetName(key), target] as const]
      }),
    ),
    operationIds: request.operationIds === undefined ? [] : operations.nextIds(request.operationIds),
  })
}

function found<K, V>(keys: readonly K[] | undefined, get: (key: K) => V | null): ReadonlyMap<K, V> {
  const rows = new Map<K, V>()
  for (const key of keys ?? []) {
    const row = rows.has(key) ? null : get(key)
    if (row !== null) rows.set(key, row)
  }
  return rows
}

type Writers = { readonly [K in keyof ChangedRows]: (row: ChangedRows[K]) => void }

/** Sets are written in the order of `ChangedRows`. */
export function applier(rows: Rows): (changes: Changes) => void {
  const { breakers, data, deadLetters, history, incidents, jobs, operations, steps, types, workers } = rows
  const writers: Writers = {
    jobs: jobs.update,
    variables: ({ jobKey, text }) => data.setVariables(jobKey, text),
    effectsEpochs: ({ jobKey, epoch }) => data.setEffectsEpoch(jobKey, epoch),
    removedSteps: ({ jobKey, step }) => steps.remove(jobKey, step),
    openedIncidents: ({ jobKey, type, attempt, incident, at }) =>
      incidents.open({ key: jobKey, type, attempt }, incident, at),
    closedIncidents: incidents.close,
    reopenedIncidents: incidents.reopen,
    closedDeadLetters: deadLetters.close,
    reopenedDeadLetters: deadLetters.reopen,
    removedDeadLetters: deadLetters.remove,
    declaredTypes: types.declare,
    pauses: types.setPause,
    ramps: types.startRamp,
    rampStarts: types.addRampStarts,
    badStreaks: types.setBadStreak,
    breakers: breakers.put,
    workers: workers.put,
    workerStates: ({ id, state }) => workers.setState(id, state),
    workerBreakers: (row) => workers.setBreakers(row.id, row.breakers),
    retiredWorkers: workers.remove,
    operations: operations.add,
    targets: operations.addTarget,
    undoneTargets: operations.markUndone,
    endedOperations: operations.end,
    undoneOperations: operations.setUndone,
    history: history.add,
  }
  const names = Object.keys(writers) as (keyof ChangedRows)[]
  return (changes) => {
    for (const name of names) write(name, changes)
  }
  function write<K extends keyof ChangedRows>(name: K, changes: Changes): void {
    const set: readonly ChangedRows[K][] | undefined = changes[name]
    if (set !== undefined) for (const row of set) writers[name](row)
  }
}
