/** What verbs share that change the jobs of keys or of a selector, never of nothing. */
import type { Resolution } from '../domain/resolution.ts'
import type { Page, Paged, Selector, Store } from '../store/store.ts'
import { BaseCommand } from './base-command.ts'
import { readKeys } from './keys.ts'

export interface Verb {
  /** As it is typed: `jobs cancel`. */
  verb: string
  /** `cancelled for good`: what happens to those that change. */
  done: string
  resolution: Omit<Resolution, 'jobKey'>
}

export interface Wanted {
  /** Keys as typed. */
  words: readonly string[] | undefined
  selector: Selector
  dryRun: boolean
  yes: boolean
}

export abstract class ChangeCommand extends BaseCommand {
  /** Keys of a page of what the selector means. */
  protected abstract keysOf(store: Store, selector: Selector, page: Page): Promise<Paged<number>>

  protected async change({ words, selector, dryRun, yes }: Wanted, { verb, done, resolution }: Verb): Promise<void> {
    const [{ approve, frozen, needsTarget }, { changeJobs }] = await Promise.all([import('./targets.ts'), import('./bulk-change.ts')])
    const typed = words && (await readKeys(words))
    const isWide = Object.keys(selector).length > 0
    if (!typed && !isWide) throw needsTarget(verb)
    const engine = await this.openEngine({ dryRun })
    const narrowed = typed ? { ...selector, keys: typed } : selector
    const keys = isWide ? await frozen((page) => this.keysOf(engine.store, narrowed, page)) : (typed ?? [])
    if (isWide && !dryRun) await approve(this.output, { keys, done, yes, unasked: false })
    this.endWith(await changeJobs(this, { engine, keys, resolution, done, dryRun }))
  }
}

export async function pageOfKeys<T>(page: Promise<Paged<T>>, keyOf: (item: T) => number): Promise<Paged<number>> {
  const { items, next } = await page
  return { items: items.map(keyOf), next }
}
