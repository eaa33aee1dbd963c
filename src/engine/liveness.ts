/**
 * Whether workers that somebody takes for dead give a sign of life. Every living worker renews in less than half of its
 * lease, whatever lease it was given; so one that lets half of what was left of it go by has missed a renewal. On its own
 * machine its process is asked for instead, which takes no time. It changes nothing.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Clock } from '../clock.ts'
import type { StoreReader } from '../store/port.ts'
import type { WorkerRow } from '../store/views.ts'

export interface Sign {
  /** `left`: its row went while it was watched. */
  is: 'dead' | 'alive' | 'left'
  /** What was seen, as the end of a sentence about the worker. */
  why: string
}

export interface Lookout {
  store: Pick<StoreReader, 'workers'> & { now(): number }
  clock: Clock
  /** This machine, and which of its processes run. */
  here?: { host: string; runs(pid: number): boolean }
  /** Before a watch of at most so many ms. */
  onWatch?(ids: readonly string[], mostMs: number): void
}

const lookEveryMs = 250
/** No lease is longer: the configuration refuses it. One that seems so was given before the clock was set back. */
const longestLeaseMs = 10 * 60_000

interface Watched {
  id: string
  leaseUntil: number
  forMs: number
}

/** By worker id. */
export async function signsOf(
  workers: readonly WorkerRow[],
  lookout: Lookout,
): Promise<ReadonlyMap<string, Sign>> {
  const { store, here = { host: hostname(), runs: processRuns } } = lookout
  const now = store.now()
  const signs = new Map<string, Sign>()
  const watched: Watched[] = []
  for (const { id, leaseUntil, host, pid } of workers) {
    const leftMs = Math.min(leaseUntil - now, longestLeaseMs)
    if (leftMs <= 0) signs.set(id, { is: 'dead', why: 'its lease is over' })
    else if (host === here.host && pid > 0) signs.set(id, signOfProcess(pid, here.runs(pid)))
    else watched.push({ id, leaseUntil, forMs: leftMs / 2 })
  }
  if (watched.length > 0) await watch(watched, signs, lookout)
  return signs
}

function signOfProcess(pid: number, runs: boolean): Sign {
  return runs
    ? { is: 'alive', why: `runs: its process ${pid} is on this machine` }
    : { is: 'dead', why: `its process ${pid} is gone` }
}

async function watch(
  watched: readonly Watched[],
  signs: Map<string, Sign>,
  { store, clock, onWatch }: Lookout,
): Promise<void> {
  const begunAt = clock.monotonic()
  onWatch?.(
    watched.map(({ id }) => id),
    Math.max(...watched.map(({ forMs }) => forMs)),
  )
  for (let open = watched; open.length > 0; open = open.filter(({ id }) => !signs.has(id))) {
    await clock.sleep(lookEveryMs)
    const passedMs = clock.monotonic() - begunAt
    const rows = new Map((await store.workers(store.now())).map((row) => [row.id, row]))
    for (const { id, leaseUntil, forMs } of open) {
      const row = rows.get(id)
      if (row === undefined) signs.set(id, { is: 'left', why: 'has left by itself meanwhile' })
      else if (row.leaseUntil !== leaseUntil) signs.set(id, { is: 'alive', why: 'still renews its lease' })
      else if (passedMs >= forMs) signs.set(id, { is: 'dead', why: 'it has missed a renewal' })
    }
  }
}

/** One that has ended and is only waiting to be collected runs no more. */
function processRuns(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}
