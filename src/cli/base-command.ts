/**
 * What every command shares: the global flags, one way to open the store (late, and only as much as is needed),
 * one road for errors, and an ending that closes what was opened. Knows no command.
 */
import { Command, Flags, type Interfaces } from '@oclif/core'
import { systemClock, type Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { ActionContext } from '../engine/actions/action.ts'
import type { Engine, Reader } from '../engine/engine.ts'
import type { Inspector } from '../engine/inspector.ts'
import type { Store } from '../store/port.ts'
import type { ExitCode } from './exit-codes.ts'
import { refuseValues } from './flags.ts'
import { say, shownSelector } from '../terminal/safe.ts'
import { quoted } from '../text/shell-words.ts'
import { createOutput, type Output } from '../terminal/output.ts'
import { processSinks, type Sinks } from '../terminal/streams.ts'
import type { Selector } from '../domain/selector.ts'

interface GlobalFlags {
  store?: string | undefined
  json?: boolean | undefined
  'no-color'?: boolean | undefined
}

type AnyFlags = Interfaces.OutputFlags<Interfaces.FlagInput>
type AnyArgs = Interfaces.OutputArgs<Interfaces.ArgInput>

export abstract class BaseCommand extends Command {
  static override baseFlags = {
    store: Flags.string({
      summary: 'path of the store (environment: WF_STORE; default: ./wf.db)',
      helpGroup: 'GLOBAL',
      helpValue: 'PATH',
    }),
    json: Flags.boolean({ summary: 'print one JSON document', helpGroup: 'GLOBAL' }),
    'no-color': Flags.boolean({
      summary: 'disable colours (see also NO_COLOR, FORCE_COLOR)',
      helpGroup: 'GLOBAL',
    }),
  }

  readonly clock: Clock = systemClock
  /** Usable after `parse`. */
  output!: Output
  #globals: GlobalFlags = {}
  #store: Store | undefined
  #settings: Promise<Config> | undefined
  #actions: ActionContext | undefined

  protected override async parse<F extends AnyFlags, B extends AnyFlags, A extends AnyArgs>(
    options?: Interfaces.Input<F, B, A>,
    argv?: string[],
  ): Promise<Interfaces.ParserOutput<F, B, A>> {
    refuseValues(argv ?? this.argv, { ...this.ctor.baseFlags, ...this.ctor.flags })
    const parsed = await super.parse<F, B, A>(options, argv)
    this.#globals = parsed.flags as GlobalFlags
    this.output = await this.#createOutput()
    return parsed
  }

  /** Behind commands that are shown to be copied: names the store where a flag chose it. */
  protected get storeSuffix(): string {
    return this.#globals.store === undefined ? '' : ` --store ${quoted(this.#globals.store)}`
  }

  /** The clock that the opened store judges by. */
  protected now(): number {
    return this.#store?.now() ?? this.clock.now()
  }

  /** Opens the store for reading: never creates, migrates or writes. */
  protected openReader(): Promise<Reader> {
    return this.#open('read', {})
  }

  /** Opens the inspector for reading, on `from` if it is given. */
  protected async openInspector(from?: Reader): Promise<Inspector> {
    const [reader, { createInspector }] = await Promise.all([
      from ?? this.openReader(),
      import('../engine/inspector.ts'),
    ])
    return createInspector(reader, reader.now)
  }

  /** Opens the store for reading; to reveal secrets it must be writable, because that is recorded. */
  protected async openRevealing({ reveal }: { reveal: boolean }): Promise<Reader> {
    if (!reveal) return this.openReader()
    const { orUnrecorded } = await import('./output/reveal.ts')
    this.#actions = await orUnrecorded(this.openActions())
    return this.#actions.engine.reader
  }

  /** Records the reveal; to be called before anything is shown. */
  protected async recordReveal(
    keys: readonly number[],
    { reveal, reason = null }: { reveal: boolean; reason?: string | null | undefined },
  ): Promise<void> {
    if (!reveal || !this.#actions) return
    const [{ orUnrecorded }, { applyReveal }] = await Promise.all([
      import('./output/reveal.ts'),
      import('../engine/actions/reveal.ts'),
    ])
    const command = (this.id ?? '').replaceAll(':', ' ')
    const id = await orUnrecorded(applyReveal(this.#actions, { keys, command, reason }))
    this.output.note(say`${this.output.errPaint.dim(say`secrets are shown; recorded as operation ${id}`)}`)
  }

  /** Opens the store for the actions; a dry run opens it for reading only. */
  protected async openActions(how: { dryRun?: boolean } = {}): Promise<ActionContext> {
    const [engine, { who }] = await Promise.all([this.openEngine(how), import('./input/actor.ts')])
    return { engine, clock: this.clock, who: who() }
  }

  /** Opens the store for writing. `sparesWorkers`: does not migrate under living workers of an older wf, which would exit. */
  protected openWriter({
    create = false,
    sparesWorkers = true,
  }: {
    create?: boolean
    sparesWorkers?: boolean
  } = {}): Promise<Store> {
    return this.#open('write', { create, sparesWorkers })
  }

  /** Opens the engine; a dry run opens the store for reading only. */
  protected async openEngine({
    create = false,
    dryRun = false,
  }: {
    create?: boolean
    dryRun?: boolean
  } = {}): Promise<Engine> {
    const [store, { createEngine }, { createEvents }, { systemRandom }] = await Promise.all([
      dryRun ? this.#open('read', {}) : this.openWriter({ create }),
      import('../engine/engine.ts'),
      import('../engine/events.ts'),
      import('../random.ts'),
    ])
    return createEngine({
      store,
      random: systemRandom,
      events: createEvents(),
      sizes: (await this.settings()).sizes,
    })
  }

  /** Where was looked in vain for what a selector means. */
  protected async sayNothing(from: Reader, selector: Selector): Promise<void> {
    const [{ selectorText }, { location }] = await Promise.all([
      import('../domain/selector-text.ts'),
      from.info(),
    ])
    const words = selectorText(selector)
    this.output.note(
      say`nothing matched in ${location}${words === '' ? say`` : say` for ${shownSelector(words)}`}`,
    )
    await this.sayNear(from, selector)
  }

  /** For names of which there is nothing, those that were probably meant. */
  protected async sayNear(from: Reader, selector: Selector): Promise<void> {
    if (this.output.json) return
    const { nearSelector } = await import('./input/suggestions.ts')
    const near = await nearSelector(from, selector)
    if (near) this.output.note(say`${near}`)
  }

  /** The settings of this process; read once. */
  protected async settings(): Promise<Config> {
    this.#settings ??= import('../app.ts').then(({ configOf }) =>
      configOf(this.#globals.store === undefined ? {} : { store: this.#globals.store }),
    )
    return this.#settings
  }

  async #open(mode: 'read' | 'write', how: { create?: boolean; sparesWorkers?: boolean }): Promise<Store> {
    const [{ openStore }, config] = await Promise.all([import('../app.ts'), this.settings()])
    const store = await openStore({ mode, ...how, config, clock: this.clock })
    this.#store = store
    return store
  }

  /** Makes a store where there is none, and says where it is. */
  protected async openCreating(location = this.#globals.store): Promise<Engine> {
    if (location !== this.#globals.store) this.#settings = undefined
    this.#globals = { ...this.#globals, store: location }
    const [{ existsSync }, { store }] = await Promise.all([import('node:fs'), this.settings()])
    const wasThere = existsSync(store.replace(/^file:\/\//, ''))
    const engine = await this.openEngine({ create: true })
    if (!wasThere) this.output.note(say`created the store ${(await engine.reader.info()).location}`)
    return engine
  }

  /** Sets the code that the process ends with once everything is written. */
  protected endWith(code: ExitCode): void {
    process.exitCode = code
  }

  protected override async catch(error: Error): Promise<void> {
    // Otherwise the framework would complain on top that nothing was parsed.
    this.parsed = true
    this.output ??= await this.#createOutput()
    const { reportError } = await import('./errors.ts')
    this.endWith(reportError(error, this.output, (this.id ?? '').replaceAll(':', ' ')))
  }

  protected override async finally(): Promise<void> {
    await this.#store?.close()
  }

  /** Before the flags are known, for their own errors, the words themselves tell what is wanted. */
  #createOutput(): Promise<Output> {
    return this.outputTo(processSinks())
  }

  protected outputTo(sinks: Sinks): Promise<Output> {
    const end = this.argv.indexOf('--')
    const typed = (flag: string) => this.argv.slice(0, end < 0 ? this.argv.length : end).includes(flag)
    const { json = typed('--json'), 'no-color': noColour = typed('--no-color') } = this.#globals
    return createOutput({ sinks, env: process.env, json, noColour })
  }
}
