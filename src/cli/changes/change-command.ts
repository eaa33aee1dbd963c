/** What verbs share that change the jobs of keys or of a selector, never of nothing. */
import { finalStates, jobStates } from '../../domain/job.ts'
import { runsAgain, type Resolution } from '../../domain/resolution.ts'
import type { Store } from '../../store/port.ts'
import { BaseCommand } from '../base-command.ts'
import { readKeys } from '../input/keys.ts'
import { refuseBound, selectorOf, type Bound, type SelectorFlagValues } from '../input/selector-flags.ts'
import type { Target } from './targets.ts'
import { everyItem, type Page, type Paged } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'

export interface Verb {
  /** As it is typed: `jobs cancel`. */
  verb: string
  /** `cancelled for good`: what happens to those that change. */
  done: string
  resolution: Omit<Resolution, 'jobKey'>
  /** Runs jobs again: a selector alone does not take those that repeat their damage as they are. */
  guards?: boolean
}

export interface Wanted {
  /** Keys as typed. */
  words: readonly string[] | undefined
  selector: Selector
  dryRun: boolean
  yes: boolean
  /** Jobs a second, at most. */
  perSecond: number | undefined
  bound: Bound
}

interface WantedFlags extends SelectorFlagValues, Bound {
  'dry-run': boolean
  yes: boolean
  rate?: number | undefined
}

export abstract class ChangeCommand extends BaseCommand {
  /** A page of what the selector means. */
  protected abstract targetsOf(store: Store, selector: Selector, page: Page): Promise<Paged<Target>>

  protected wanted(words: readonly string[] | undefined, flags: WantedFlags): Wanted {
    const { 'dry-run': dryRun, yes, rate: perSecond, limit, sort } = flags
    return { words, selector: selectorOf(flags, this.now()), dryRun, yes, perSecond, bound: { limit, sort } }
  }

  protected async change(
    { words, selector, dryRun, yes, perSecond, bound }: Wanted,
    { verb, done, resolution, guards = false }: Verb,
  ): Promise<void> {
    const [{ approve, needsTarget, sampleLines }, { changeJobs }, { guardedAmong, nameGuarded, passedByOf }] =
      await Promise.all([import('./targets.ts'), import('./bulk-change.ts'), import('./resolvable.ts')])
    const typed = words && (await readKeys(words))
    const isWide = Object.keys(selector).length > 0
    if (!typed && !isWide) throw needsTarget(verb)
    if (!isWide) refuseBound(bound)
    const engine = await this.openEngine({ dryRun })
    const context = { output: this.output, clock: this.clock, suffix: this.storeSuffix }
    const change = { engine, resolution, done, dryRun, perSecond }
    if (!isWide && guards) await nameGuarded(this.output, engine.store, typed ?? [])
    if (!isWide) return this.endWith(await changeJobs(context, { ...change, keys: typed ?? [] }))
    const narrowed = typed ? { ...selector, keys: typed } : selector
    const meant = await everyItem(
      (page) => this.targetsOf(engine.store, typed ? narrowed : withoutOver(narrowed), page),
      bound,
    )
    if (meant.length === 0) await this.sayNothing(engine.store, narrowed)
    const guarded = guards ? await guardedAmong(engine.store, meant, narrowed) : []
    const passed = new Set(guarded.map(({ key }) => key))
    const targets = meant.filter(({ key }) => !passed.has(key))
    if (dryRun) this.output.print(...sampleLines(targets))
    else {
      const again = runsAgain(resolution.verb) ? engine.store : null
      await approve(this.output, {
        targets,
        guarded,
        done,
        verb: resolution.verb,
        again,
        yes,
        unasked: false,
      })
    }
    const keys = targets.map(({ key }) => key)
    this.endWith(
      await changeJobs(context, {
        ...change,
        keys,
        selector: narrowed,
        bound,
        passedBy: passedByOf(guarded, 'its key or --kind'),
      }),
    )
  }
}

/** A selector that names no state does not mean what is over, however much of that there is. */
function withoutOver(selector: Selector): Selector {
  return selector.states
    ? selector
    : { ...selector, states: jobStates.filter((state) => !finalStates.includes(state)) }
}

export async function pageOfTargets<T>(
  page: Promise<Paged<T>>,
  targetOf: (item: T) => Target,
): Promise<Paged<Target>> {
  const { items, next } = await page
  return { items: items.map(targetOf), next }
}
