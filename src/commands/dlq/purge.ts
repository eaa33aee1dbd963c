import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { changeFlags, paceFlags } from '../../cli/changes/change-flags.ts'
import { keysArg } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { boundFlags, refuseBound, selectorFlags, selectorOf } from '../../cli/input/selector-flags.ts'
import { counted } from '../../terminal/time.ts'
import type { Store } from '../../store/port.ts'
import type { Target } from '../../cli/changes/targets.ts'
import { pagesOf } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'

export default class DlqPurge extends BaseCommand {
  static override summary = 'Delete the stored copies of dead letters. This is final.'
  static override description =
    prose`Closed letters go: those whose jobs were taken back to work, discarded or cancelled. The jobs themselves stay what they are.
An open letter still has a job that waits for somebody: it is passed by, unless --open takes it, and then its job is cancelled for good
first. --older-than counts from when a letter was received last. With a selector instead of keys it asks first, and where nobody can be
asked it needs --yes. What is kept for how long without a purge is said by wf's retention.`
  static override examples = [
    '<%= config.bin %> dlq purge --older-than 30d --dry-run',
    {
      description: 'open ones too, whose jobs then never run again',
      command: '<%= config.bin %> dlq purge --older-than 90d --open --yes',
    },
    {
      description: 'keep a copy elsewhere first',
      command:
        '<%= config.bin %> dlq export --closed --older-than 30d > old.jsonl && <%= config.bin %> dlq purge --older-than 30d',
    },
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    ...selectorFlags('dlq'),
    ...boundFlags('dlq'),
    open: Flags.boolean({ summary: 'open ones too: their jobs are cancelled for good', default: false }),
    ...changeFlags,
    ...paceFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqPurge)
    const { open, yes, 'dry-run': dryRun, rate: perSecond, limit, sort, reason = null } = flags
    const [{ approve, needsTarget, sampleLines }, { purged, purgedNoun, purgeLetters }] = await Promise.all([
      import('../../cli/changes/targets.ts'),
      import('../../cli/changes/purge-change.ts'),
    ])
    const selector = selectorOf(flags, this.now())
    const isWide = Object.keys(selector).length > 0
    const typed = args.keys && (await readKeys(args.keys))
    if (!typed && !isWide) throw needsTarget('dlq purge')
    if (!isWide) refuseBound({ limit, sort })
    const { store } = await this.openEngine({ dryRun })
    const change = { store, open, reason, dryRun, perSecond }
    const context = { clock: this.clock, suffix: this.storeSuffix }
    if (!isWide)
      return this.endWith(
        await purgeLetters(this.output, context, {
          ...change,
          keys: typed ?? [],
          selector: { keys: typed ?? [] },
        }),
      )
    const narrowed = typed ? { ...selector, keys: typed } : selector
    const { targets, passedBy } = await this.#meant(store, narrowed, { open, limit, sort })
    if (targets.length === 0) await this.sayNothing(store, narrowed)
    if (passedBy > 0)
      this.output.note(
        say`${counted(passedBy, 'open dead letter')} passed by: --open takes them, and their jobs then never run again`,
      )
    if (dryRun) this.output.print(...sampleLines(targets))
    else
      await approve(this.output, {
        targets,
        done: purged,
        noun: purgedNoun,
        verb: 'purge',
        again: null,
        yes,
        unasked: false,
      })
    const keys = targets.map(({ key }) => key)
    this.endWith(await purgeLetters(this.output, context, { ...change, keys, selector: narrowed }))
  }

  /** `limit` counts what is deleted: what is passed by must not use it up. */
  async #meant(
    store: Store,
    selector: Selector,
    { open, limit, sort }: { open: boolean; limit: number | undefined; sort: string | undefined },
  ): Promise<{ targets: readonly Target[]; passedBy: number }> {
    const targets: Target[] = []
    let passedBy = 0
    for await (const { items } of pagesOf(
      (page) => store.deadLetters({ ...selector, includeClosed: true }, page),
      { sort },
    )) {
      for (const { jobKey, type, reason, closedAt } of items) {
        if (closedAt === null && !open) passedBy += 1
        else targets.push({ key: jobKey, type, kind: closedAt === null ? `${reason} (open)` : reason })
      }
      if (limit !== undefined && targets.length >= limit) break
    }
    return { targets: limit === undefined ? targets : targets.slice(0, limit), passedBy }
  }
}
