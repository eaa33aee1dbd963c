/** Proposes changes and applies them, one at a time, each on its own connection, which closes afterwards. */
import type { Clock } from '../clock.ts'
import { changesOfEdit, editableVariables } from '../domain/edited-variables.ts'
import type { VariableChange } from '../domain/resolution.ts'
import { targetPages } from '../engine/actions/targets.ts'
import type { Engine } from '../engine/engine.ts'
import { applyAction } from './apply.ts'
import { isYes, otherOf } from './confirm.ts'
import type { StateStore } from './state-store.ts'
import { mostTargets, resolveTargets } from './resolve-targets.ts'
import { keyOf, type Item } from './items.ts'
import type { Verb } from './keys.ts'
import { actionOf } from './action.ts'
import {
  type JobVerb,
  type Action,
  chosen,
  itemsOf,
  pageKey,
  queryOf,
  type Confirm,
  type Notice,
} from './state.ts'
import type { Source } from './source.ts'
import { listed } from './filter.ts'
import { marksOfTargets, noMarks } from './selection.ts'
import { everyItem } from '../store/page.ts'

export interface Editor {
  /** Returns the text as the editor left it. Throws an Error if the editor fails. */
  edit(text: string): string
}

export interface ChangesParts {
  stateStore: StateStore
  source: Source
  clock: Clock
  who: string
  /** Opens a writing connection for one change. */
  openEngine(): Promise<Engine>
  /** Polls the store at once. */
  poke(anew: boolean): void
  outside: Editor
}

/** An edit that was rejected. */
interface Draft {
  key: number
  /** JSON text, as stored when the editor was opened. */
  variables: string
  text: string
}

export class Changes {
  readonly #parts: ChangesParts
  #lastId = 0
  #draft: Draft | null = null
  #working: { abort: AbortController; ended: Promise<void> } | null = null

  constructor(parts: ChangesParts) {
    this.#parts = parts
  }

  ask(verb: Verb): void {
    if (this.#working) return this.#tell('one change at a time: the last one is still running', 'bad')
    if (verb === 'edit')
      return void this.#edit().catch((error: unknown) => this.#tell(messageOf(error), 'bad'))
    const action = actionOf(this.#parts.stateStore.state(), verb)
    if (typeof action === 'string') this.#tell(action, 'bad')
    else this.#offer(action)
  }

  /** Marks every row of the list, of which one page is known. */
  markAll(): void {
    const { stateStore, source } = this.#parts
    const query = queryOf(stateStore.state())
    const meant = listed(query)
    if (meant === null) return
    const limit = mostTargets + 1
    everyItem(targetPages(source.reader, { list: meant.of, selector: meant.selector }), { limit }).then(
      (targets) => {
        const marks = marksOfTargets(query.list, targets.slice(0, mostTargets))
        stateStore.dispatch({
          type: 'marked',
          key: pageKey(query),
          marks,
          more: targets.length > mostTargets,
        })
      },
      (error: unknown) => {
        stateStore.dispatch({ type: 'marked', key: pageKey(query), marks: noMarks, more: false })
        this.#tell(messageOf(error), 'bad')
      },
    )
  }

  /** Returns true if the key belonged to the panel. */
  takes(confirm: Confirm, key: string): boolean {
    if (confirm.status === 'working') {
      if (key === 'esc' || key === 'ctrl-c') this.#working?.abort.abort()
      return true
    }
    const other = otherOf(confirm, key)
    if (other !== null) {
      this.#offer(other, confirm)
      return true
    }
    if (!isYes(confirm, key)) return false
    const abort = new AbortController()
    this.#parts.stateStore.dispatch({ type: 'begun', id: confirm.id })
    const ended = this.#apply(confirm, abort.signal).finally(() => {
      this.#working = null
    })
    this.#working = { abort, ended }
    return true
  }

  /** Stops the running change between two batches, and waits for it. */
  async stop(): Promise<void> {
    this.#working?.abort.abort()
    await this.#working?.ended
  }

  #notice(text: string, tone: Notice['tone']): Notice {
    return { text, tone, at: this.#parts.stateStore.state().now }
  }

  #tell(text: string, tone: Notice['tone']): void {
    this.#parts.stateStore.dispatch({ type: 'noticed', notice: this.#notice(text, tone) })
  }

  #offer(action: Action, from?: Confirm): void {
    const { stateStore, source } = this.#parts
    const id = ++this.#lastId
    stateStore.dispatch({ type: 'proposed', id, action, ...(from ? { from } : {}) })
    resolveTargets(source.reader, action, source.now()).then(
      (found) => stateStore.dispatch({ type: 'resolved', id, ...found }),
      (error: unknown) =>
        stateStore.dispatch({ type: 'ended', id, notice: this.#notice(messageOf(error), 'bad') }),
    )
  }

  async #edit(): Promise<void> {
    const { stateStore, source } = this.#parts
    const [one, ...others] = chosen(stateStore.state())
    const item = itemsOf(stateStore.state())?.find(({ id }) => id === one?.id)
    const key = item ? keyOf(item) : null
    if (!item || key === null || others.length > 0)
      return this.#tell('choose one job to edit its variables', 'bad')
    if (stateStore.state().readOnly) return this.#tell('nothing can be changed with --read-only', 'bad')
    const road = roadOf(item)
    if (road === null)
      return this.#tell('variables can only be edited while a job waits or has stopped', 'bad')
    const detail = await source.reader.job(key)
    if (detail === null) return this.#tell('the job no longer exists', 'bad')
    const set = this.#edited({ key, variables: detail.variables })
    if (set.length === 0) return this.#tell('the variables are unchanged', 'good')
    this.#offer({ of: 'jobs', ...road, selector: { keys: [key] }, set })
  }

  /** Keeps a rejected text as the draft of the next edit of the same job. */
  #edited(stored: Pick<Draft, 'key' | 'variables'>): readonly VariableChange[] {
    const given = editableVariables(stored.variables, false)
    const draft =
      this.#draft?.key === stored.key && this.#draft.variables === stored.variables ? this.#draft : null
    const text = this.#parts.outside.edit(draft?.text ?? given.text)
    this.#draft = { ...stored, text }
    try {
      const changes = changesOfEdit(text, given)
      this.#draft = null
      return changes
    } catch (error) {
      throw new Error(`the edit was rejected (E opens it again as you left it): ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  async #apply(confirm: Confirm, signal: AbortSignal): Promise<void> {
    const { stateStore, clock, who, openEngine, poke } = this.#parts
    const { id } = confirm
    try {
      const engine = await openEngine()
      try {
        const { words, changedNothing } = await applyAction({
          actions: { engine, clock, who },
          confirm,
          signal,
          onProgress: (done) => stateStore.dispatch({ type: 'progressed', id, done }),
        })
        stateStore.dispatch({
          type: 'ended',
          id,
          notice: this.#notice(words, changedNothing ? 'bad' : 'good'),
        })
      } finally {
        await engine.reader.close()
      }
    } catch (error) {
      stateStore.dispatch({ type: 'ended', id, notice: this.#notice(messageOf(error), 'bad') })
    }
    poke(true)
  }
}

/** Returns the verb that runs a job again with other variables, or null if none does. */
function roadOf(item: Item): { verb: JobVerb; list: 'incidents' | 'dlq' | 'jobs' } | null {
  if (item.kind === 'incident') return { verb: 'resolve', list: 'incidents' }
  if (item.kind === 'letter') return { verb: 'dlq_retry', list: 'dlq' }
  return item.kind === 'job' && ['waiting', 'failed', 'dead'].includes(item.job.state)
    ? { verb: 'retry', list: 'jobs' }
    : null
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
