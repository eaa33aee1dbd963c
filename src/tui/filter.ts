/** The filter of a list: a selector as the command line takes it. */
import { WfError } from '../domain/errors.ts'
import type { Selector } from '../domain/selector.ts'
import { parseSelector } from '../domain/selector-text.ts'
import type { ListName } from './snapshot.ts'

export interface Filter {
  /** As it was typed. */
  text: string
  selector: Selector
}

/** Words that are no flags and no keys are looked for in the errors. Answers a sentence when it cannot be read; null takes the filter away. */
export function readFilter(text: string, now: number): Filter | null | string {
  const typed = text.trim()
  if (typed === '') return null
  const isBare = !/(^|\s)--/.test(typed) && !/^[\d\s,]+$/.test(typed)
  try {
    return { text: typed, selector: isBare ? { error: { text: typed } } : parseSelector(typed, now) }
  } catch (error) {
    if (error instanceof WfError) return error.hint ? `${error.message}: ${error.hint}` : error.message
    throw error
  }
}

/** Lists that a selector can narrow; the overview is short. */
export const filteredLists: readonly ListName[] = ['causes', 'incidents', 'dead-letters', 'jobs', 'breakers', 'workers']
