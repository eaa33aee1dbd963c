/** A worker process as people and scripts see it. */
import type { InspectedWorker } from '../engine/inspector.ts'
import { iso } from '../terminal/json.ts'
import type { Column } from '../terminal/table.ts'
import { span } from '../terminal/time.ts'

export function workerDocument({
  id,
  label,
  pid,
  host,
  state,
  alive,
  concurrency,
  running,
  types,
  quarantine,
  startedAt,
  leaseUntil,
}: InspectedWorker) {
  return {
    id,
    label,
    pid,
    host,
    state,
    alive,
    concurrency,
    running,
    types,
    quarantine,
    startedAt: iso(startedAt),
    leaseUntil: iso(leaseUntil),
  }
}

export function workerColumns(): readonly Column<InspectedWorker>[] {
  return [
    { title: 'ID', value: ({ id }) => id, shrinkTo: 16 },
    { title: 'STATE', value: stateOf, paint: (worker, paint) => (worker.alive ? paint.green : paint.red) },
    { title: 'BUSY', value: ({ running, concurrency }) => `${running}/${concurrency}`, align: 'right' },
    { title: 'UP', value: ({ upMs }) => span(upMs), align: 'right' },
    {
      title: 'LEASE',
      value: ({ alive, leaseLeftMs }) =>
        alive ? `${span(leaseLeftMs)} left` : `over for ${span(leaseLeftMs)}`,
    },
    { title: 'PID', value: ({ pid }) => pid, align: 'right', optional: 2 },
    { title: 'HOST', value: ({ host }) => host, shrinkTo: 8, optional: 1 },
    { title: 'TYPES', value: ({ types }) => types.join(', '), shrinkTo: 12 },
  ]
}

function stateOf({ alive, state, quarantine }: InspectedWorker): string {
  if (!alive) return 'gone'
  return quarantine ? `${state}: suspects` : state
}
