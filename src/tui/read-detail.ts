/** Reads the detail of one row. */
import type { InspectedBreaker } from '../engine/breaker-admin.ts'
import { jobFacts } from '../engine/explain-job.ts'
import { explain } from '../messages/explain.ts'
import { commonVariables } from '../domain/common-variables.ts'
import type { InspectedWorker } from '../engine/inspector.ts'
import type { ListedCause } from './items.ts'
import type { Figures, Detail, DetailQuery } from './snapshot.ts'
import type { Source } from './source.ts'

/** Resolves with null if the row no longer exists. */
export async function readDetail(
  source: Source,
  query: DetailQuery,
  figures: Figures,
): Promise<Detail | null> {
  const [kind, ...rest] = query.id.split(':')
  const name = rest.join(':')
  switch (kind) {
    case 'job':
      return readJob(source, query, Number(name))
    case 'cause':
      return readCause(
        source,
        query,
        figures.causes.find(({ fingerprint }) => fingerprint === name),
      )
    case 'breaker':
      return readBreaker(
        source,
        query,
        figures.breakers.find((breaker) => breaker.name === name),
      )
    case 'worker':
      return readWorker(
        source,
        query,
        figures.workers.find(({ id }) => id === name),
      )
    default: {
      const type = figures.types.find((each) => each.type === name)
      return type ? { ...query, kind: 'type', type } : null
    }
  }
}

async function readJob(
  { reader, inspector, now }: Source,
  { id, pane, letter: isLetter }: DetailQuery,
  key: number,
): Promise<Detail | null> {
  const detail = await inspector.job(key)
  const facts = pane === 'explain' ? await jobFacts(reader, key, now()) : null
  const explanation = facts && explain(facts)
  const letter = isLetter ? await inspector.deadLetter(key) : null
  if (letter) return { id, pane, kind: 'letter', letter, detail, explanation }
  return detail && { id, pane, kind: 'job', detail, explanation }
}

async function readCause(
  { reader }: Source,
  { id, pane }: DetailQuery,
  cause: ListedCause | undefined,
): Promise<Detail | null> {
  if (!cause) return null
  const { members, others } = await reader.causeVariables(cause)
  const compared = { members: members.length, others: others.length }
  return { id, pane, kind: 'cause', cause, common: commonVariables(members, others), compared }
}

const mostTurns = 200
const hourMs = 3_600_000

async function readBreaker(
  { reader, now }: Source,
  { id, pane }: DetailQuery,
  breaker: InspectedBreaker | undefined,
): Promise<Detail | null> {
  return breaker
    ? {
        id,
        pane,
        kind: 'breaker',
        breaker,
        history: await reader.breakerHistory(breaker.name, mostTurns, now() - 24 * hourMs),
      }
    : null
}

async function readWorker(
  { reader }: Source,
  { id, pane }: DetailQuery,
  worker: InspectedWorker | undefined,
): Promise<Detail | null> {
  return worker ? { id, pane, kind: 'worker', worker, running: await reader.running(worker.id) } : null
}
