import { Flags } from '@oclif/core'
import { durationFlag, guarded, typesFlag } from '../cli/flags.ts'
import { iso } from '../terminal/json.ts'
import { ListCommand, watchFlags } from '../cli/list-command.ts'
import { prose } from '../text/dedent.ts'
import { say } from '../terminal/safe.ts'
import { readChoice } from '../text/parse-input.ts'
import { formatDuration } from '../text/duration.ts'
import type { ActivityBy } from '../store/views.ts'

const groupings: readonly ActivityBy[] = ['type', 'outcome', 'minute']

export default class Stats extends ListCommand {
  static override summary = 'Show what was done in the last hour'
  static override description =
    prose`DONE are jobs that came through, FAILED attempts that failed, stopped or were lost. INCIDENTS and DEAD were
opened in the window; RETRYING and HELD stand so now: jobs that come back after a failure, and jobs that a pause, a breaker or a missing
worker keeps. P50 and P95 are the handlers' run times, estimated from buckets. The figures are sums that workers write once a second
and keep by the minute, so the window begins with a whole minute; they stay as long as retention.stats says.`
  static override examples = [
    '<%= config.bin %> stats',
    '<%= config.bin %> stats --window 15m --type charge-payment,send-mail',
    '<%= config.bin %> stats --by minute --window 10m',
    "<%= config.bin %> stats --json | jq '.items[] | select(.failed > 0) | .type'",
  ]
  static override flags = {
    window: durationFlag(
      { summary: 'window, 1m to 30d (default: 1h)' },
      { min: 60_000, max: 30 * 86_400_000 },
    ),
    by: Flags.custom<ActivityBy>({
      ...{ summary: 'rows by type, outcome or minute (default: type)', helpValue: 'WHAT' },
      parse: guarded((text, name) => readChoice(text, name, groupings)),
    })(),
    type: typesFlag('only of these types'),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Stats)
    await this.watched(flags, () => this.#draw(flags))
  }

  async #draw(flags: StatsFlags): Promise<void> {
    const { window: windowMs = 3_600_000, by = 'type', type: types } = flags
    const store = await this.openReader()
    const [{ readActivity }, { statsRows }, { statsColumns, statsDocument }, { table }] = await Promise.all([
      import('../metrics/activity.ts'),
      import('../cli/stats/stats-rows.ts'),
      import('../cli/stats/stats-view.ts'),
      import('../terminal/table.ts'),
    ])
    const now = this.now()
    const activity = await readActivity(store, {
      windowMs,
      by,
      now,
      ...(types === undefined ? {} : { types }),
    })
    const rows = await statsRows(store, activity, { by, types, now })
    this.output.document({
      ...{ since: iso(activity.since), until: iso(now), minutes: Math.round(activity.minutes * 100) / 100 },
      items: rows.map((row) => statsDocument(row, by)),
    })
    if (rows.length === 0) {
      this.output.note(
        say`nothing happened in the last ${formatDuration(windowMs)} in ${(await store.info()).location}`,
      )
      await this.sayNear(store, types ? { types } : {})
    } else {
      this.output.print(...table(rows, statsColumns(by), this.output))
    }
  }
}

interface StatsFlags {
  window?: number | undefined
  by?: ActivityBy | undefined
  type?: string[] | undefined
}
