import { BaseCommand } from '../../cli/base-command.ts'
import { breakerHistoryColumns, breakerHistoryDocument } from '../../views/breaker-history-view.ts'
import { breakerArg, knownBreakers, noSuchBreaker } from '../../cli/breakers/breakers-command.ts'
import { deadlineFlag, integerFlag } from '../../cli/flags.ts'
import { printList } from '../../cli/output/list.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { readDuration } from '../../text/parse-input.ts'
import type { HistoryRow } from '../../store/views.ts'

export default class BreakersHistory extends BaseCommand {
  static override summary = 'Show when and why a breaker opened and closed'
  static override description =
    prose`Newest first. BY is the worker whose calls changed the breaker, or the operator. Becoming half-open is not listed, because it only
takes time; a probe that fails is listed as another opening.`
  static override examples = [
    '<%= config.bin %> breakers history stripe --since 24h',
    '<%= config.bin %> breakers history stripe --since 2030-01-31T09:00:00Z --json',
  ]
  static override args = { breaker: breakerArg() }
  static override flags = {
    limit: integerFlag(
      { min: 1, max: 1_000 },
      { summary: 'maximum number of changes to show, 1 to 1,000 (default: 50)' },
    ),
    since: deadlineFlag({ summary: 'only changes since this instant, or of this last duration' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BreakersHistory)
    const store = await this.openReader()
    const now = store.now()
    const since =
      typeof flags.since === 'string' ? now - readDuration(flags.since, '--since') : (flags.since ?? 0)
    const limit = flags.limit ?? 50
    const found = await store.breakerHistory(args.breaker, Math.min(1_000, limit + 1), since)
    if (found.length === 0 && !(await store.breaker(args.breaker))) {
      throw noSuchBreaker(args.breaker, await knownBreakers(store), (await store.info()).location)
    }
    const page = { items: found.slice(0, limit), next: null }
    const listing = {
      page,
      columns: breakerHistoryColumns(now),
      document: breakerHistoryDocument,
      id: ({ id }: HistoryRow) => id,
    }
    await printList(this.output, { ...listing, noun: 'changes of that breaker since then' }, { from: store })
    if (found.length > limit)
      this.output.note(say`${this.output.errPaint.dim(say`older changes exist: raise --limit`)}`)
  }
}
