/** Deltas that are not stored yet, merged by what they count, so that their number stays bounded. */
import type { CounterDelta, StatDelta } from '../domain/stat-delta.ts'
import type { Progress } from '../store/port.ts'
import { durationBucket, durationBucketsMs, durationSum, labelText, metrics } from './names.ts'

/** Metric outcomes by the attempt's outcome. Attempts with another outcome don't count as handled. */
const handledAs = new Map([
  ['success', 'success'],
  ['fail', 'fail'],
  ['business_error', 'bpmn_error'],
  ['incident', 'incident'],
  ['result_invalid', 'incident'],
  ['poison', 'poison'],
])

export class Unsent {
  readonly #stats = new Map<string, StatDelta>()
  readonly #counters = new Map<string, CounterDelta>()
  readonly #progress = new Map<number, Progress>()

  get isEmpty(): boolean {
    return this.#stats.size + this.#counters.size + this.#progress.size === 0
  }

  addAttempts(deltas: readonly StatDelta[]): void {
    for (const delta of deltas) {
      this.#addStat(delta)
      this.#countAttempts(delta)
    }
  }

  count(metric: string, labels: Readonly<Record<string, string>>, value: number): void {
    const text = labelText(labels)
    const id = `${metric} ${text}`
    const known = this.#counters.get(id)
    this.#counters.set(id, { metric, labels: text, value: (known?.value ?? 0) + value })
  }

  /** Keeps the latest progress of each job. Drops a fraction that is NaN: one bad row would block the others. */
  progress(progress: Progress): void {
    if (!Number.isNaN(progress.fraction))
      this.#progress.set(progress.jobKey, {
        ...progress,
        fraction: Math.min(1, Math.max(0, progress.fraction)),
      })
  }

  /** Removes and returns everything. `merge` puts back what could not be written. */
  take(): { stats: readonly StatDelta[]; counters: readonly CounterDelta[]; progress: readonly Progress[] } {
    const taken = {
      stats: [...this.#stats.values()],
      counters: [...this.#counters.values()],
      progress: [...this.#progress.values()],
    }
    this.#stats.clear()
    this.#counters.clear()
    this.#progress.clear()
    return taken
  }

  merge({ stats, counters, progress }: ReturnType<Unsent['take']>): void {
    for (const delta of stats) this.#addStat(delta)
    for (const { metric, labels, value } of counters) {
      const id = `${metric} ${labels}`
      this.#counters.set(id, { metric, labels, value: (this.#counters.get(id)?.value ?? 0) + value })
    }
    // Progress that was reported since is newer.
    for (const each of progress) if (!this.#progress.has(each.jobKey)) this.#progress.set(each.jobKey, each)
  }

  #addStat(delta: StatDelta): void {
    const id = `${delta.minute} ${delta.outcome} ${delta.bucket} ${delta.type}`
    const known = this.#stats.get(id)
    this.#stats.set(
      id,
      known ? { ...known, count: known.count + delta.count, sumMs: known.sumMs + delta.sumMs } : delta,
    )
  }

  #countAttempts({ type, outcome, bucket, count, sumMs }: StatDelta): void {
    const handled = handledAs.get(outcome)
    if (handled === undefined) return
    const upTo = durationBucketsMs[bucket]
    this.count(metrics.handled, { type, outcome: handled }, count)
    this.count(durationBucket, { type, le: upTo === undefined ? '+Inf' : String(upTo / 1000) }, count)
    this.count(durationSum, { type }, sumMs / 1000)
  }
}
