import { loadPatterns } from '../text/pattern.ts'
import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import { readChoice } from '../text/parse-input.ts'
import { wantsColour } from '../terminal/colour.ts'
import { createPaint, plainPaint } from '../terminal/paint.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { durationFlag, guarded } from '../cli/flags.ts'
import { iso } from '../terminal/json.ts'
import { prose } from '../text/dedent.ts'
import { who } from '../cli/input/actor.ts'
import { WfError } from '../errors.ts'

const screens = ['overview', 'incidents', 'dead-letters', 'breakers', 'jobs', 'workers'] as const
const paperColumns = 100
const usualRefreshMs = 1_000

interface LiveFlags {
  screen: (typeof screens)[number]
  refresh?: number | undefined
  'read-only': boolean
  'no-color': boolean
}

export default class Dashboard extends BaseCommand {
  static override summary = 'Watch the store and act on it'
  static override description =
    prose`Six screens: overview, incidents by cause, dead letters, breakers, jobs with their next start, workers. The bottom line shows
the keys, ? lists all of them. Capital letters change something, and ask first. --once prints one frame as plain text, as wide as
COLUMNS (default: 100), without a terminal.`
  static override examples = [
    '<%= config.bin %> dashboard',
    '<%= config.bin %> dashboard --screen incidents --read-only',
    '<%= config.bin %> dashboard --once',
  ]
  static override flags = {
    screen: Flags.custom<(typeof screens)[number]>({
      ...{ summary: `first screen: ${screens.join(', ')} (default: overview)`, helpValue: 'SCREEN' },
      parse: guarded((text, name) => readChoice(text, name, screens)),
    })(),
    refresh: durationFlag(
      { summary: 'shortest time between two polls of the store (default: 1s)' },
      { min: 250, max: 3_600_000 },
    ),
    once: Flags.boolean({ summary: 'print one frame as text and exit' }),
    'read-only': Flags.boolean({ summary: 'disable all keys that change something' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Dashboard)
    if (flags.once || this.output.json) return this.#once(flags.screen ?? 'overview')
    const why = whyNoScreen()
    if (why !== null)
      throw new WfError('usage', `the dashboard needs a terminal, and ${why}`, {
        hint: 'wf dashboard --once prints one frame as text',
      })
    await this.#live({ ...flags, screen: flags.screen ?? 'overview' })
  }

  async #live({
    screen,
    refresh = usualRefreshMs,
    'read-only': readOnly,
    'no-color': noColour,
  }: LiveFlags): Promise<void> {
    const [{ openThreadedReader }, { startDashboard }, config] = await Promise.all([
      import('../tui/threaded-reader.ts'),
      import('../tui/start.ts'),
      this.settings(),
      // The dashboard parses filters synchronously, so the pattern engine has to be there.
      loadPatterns(),
    ])
    const store = await openThreadedReader(config, () => this.clock.now())
    const paint = await createPaint(wantsColour({ env: process.env, isTTY: true, refused: noColour }))
    const stop = await startDashboard({
      ...{ store, paint, screen, readOnly, stdin: process.stdin, stdout: process.stdout },
      ...{ clock: this.clock, refreshMs: refresh, suffix: this.storeSuffix, who: who() },
      openEngine: () => this.openEngine(),
    }).finally(() => store.close())
    if (stop !== null) this.endWith(stop === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated)
  }

  async #once(screen: (typeof screens)[number]): Promise<void> {
    const [store, { oneFrame }] = await Promise.all([this.openReader(), import('../tui/once.ts')])
    const columns = Math.max(40, Math.min(500, this.output.width ?? paperColumns))
    const lines = await oneFrame({
      store,
      clock: this.clock,
      screen,
      columns,
      paint: plainPaint,
      suffix: this.storeSuffix,
    })
    this.output.document({ screen, at: iso(store.now()), lines })
    this.output.print(...lines)
  }
}

/** Returns null if there is a terminal to draw on and to read keys from. */
function whyNoScreen(): string | null {
  if (process.stdin.isTTY !== true) return 'standard input is not one'
  if (process.stdout.isTTY !== true) return 'standard output is not one'
  return process.env['TERM'] === 'dumb' ? 'TERM is set to dumb' : null
}
