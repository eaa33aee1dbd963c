/** What verbs share that change the jobs of keys or of a selector, never of nothing. */
import type { Resolution } from '../domain/resolution.ts'
import type { Page, Paged, Selector, Store } from '../store/store.ts'
import { BaseCommand } from './base-command.ts'
import { readKeys } from './keys.ts'
import type { Target } from './targets.ts'

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
}

export abstract class ChangeCommand extends BaseCommand {
  /** A page of what the selector means. */
  protected abstract targetsOf(store: Store, selector: Selector, page: Page): Promise<Paged<Target>>

  protected async change({ words, selector, dryRun, yes }: Wanted, { verb, done, resolution, guards = false }: Verb): Promise<void> {
    const [{ approve, frozen, needsTarget }, { changeJobs }] = await Promise.all([import('./targets.ts'), import('./bulk-change.ts')])
    const typed = words && (await readKeys(words))
    const isWide = Object.keys(selector).length > 0
    if (!typed && !isWide) throw needsTarget(verb)
    const engine = await this.openEngine({ dryRun })
    if (!isWide) return this.endWith(await changeJobs(this, { engine, keys: typed ?? [], resolution, done, dryRun }))
    const narrowed = typed ? { ...selector, keys: typed } : selector
    const meant = await frozen((page) => this.targetsOf(engine.store, narrowed, page))
    const { guardedAmong, passedByOf } = await import('./resolvable.ts')
    const guarded = guards && !typed ? await guardedAmong(engine.store, meant, selector) : []
    const passed = new Set(guarded.map(({ key }) => key))
    const targets = meant.filter(({ key }) => !passed.has(key))
    if (!dryRun) await approve(this.output, { targets, guarded, done, yes, unasked: false })
    const keys = targets.map(({ key }) => key)
    this.endWith(await changeJobs(this, { engine, keys, passedBy: passedByOf(guarded, 'its key'), resolution, done, dryRun }))
  }
}

export async function pageOfTargets<T>(page: Promise<Paged<T>>, targetOf: (item: T) => Target): Promise<Paged<Target>> {
  const { items, next } = await page
  return { items: items.map(targetOf), next }
}
