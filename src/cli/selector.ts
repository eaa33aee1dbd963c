/** What was typed to narrow a list, as the store takes it: a field that was not given is not there. */
import type { Selector } from '../store/store.ts'

export function selectorOf(given: { [K in keyof Selector]: Selector[K] | undefined }): Selector {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== false))
}

/** Whether anything narrows it: bulk verbs do not act without. */
export function isNarrow({ includeClosed: _, ...narrowing }: Selector): boolean {
  return Object.keys(narrowing).length > 0
}
