import { existsSync } from 'node:fs'
import { prose } from '../text/dedent.ts'
import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import { durationFlag, integerFlag, textFlag, typesFlag } from '../cli/flags.ts'
import { say } from '../terminal/safe.ts'
import { processesFlag, readWorkOptions } from '../cli/run-worker/run-options.ts'
import { work } from '../cli/run-worker/run.ts'

const closingMs = 300
const day = 24 * 60 * 60 * 1000

export default class RunWorker extends BaseCommand {
  static override summary = 'Run a worker with handler modules'
  static override description =
    prose`Starts worker processes that load FILE…, take due jobs of their types and run them, until Ctrl-C or SIGTERM.
Then nothing new starts, running handlers may finish within the grace, and what is unfinished is given back: it costs no
retry and starts elsewhere. A second Ctrl-C stops at once. The store is created where there is none.

A terminal gets a line for each job, or a summary every few seconds when there are many; a pipe or file gets JSON lines,
one object each, and so does a terminal with --json.`
  static override examples = [
    '<%= config.bin %> run-worker ./charge-payment.ts',
    {
      description: 'one process a core, at most 20 jobs at once in each',
      command: '<%= config.bin %> run-worker ./handlers/*.ts --processes auto --concurrency 20',
    },
    {
      description: 'work off what is there, for a script',
      command: '<%= config.bin %> run-worker ./handler.ts --until-empty',
    },
    {
      description: 'under a debugger',
      command: 'node --inspect ./node_modules/.bin/wf run-worker ./handler.ts --inline',
    },
  ]
  static override usage = 'run-worker FILE… [FLAGS]'
  static override strict = false
  static override args = {
    files: Args.string({
      name: 'file',
      description: 'handler modules: .ts, .mts, .js, .mjs or .cjs',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    type: typesFlag('only these types of those that the modules handle'),
    concurrency: integerFlag(
      { min: 1, max: 10_000 },
      { summary: "jobs at once in one process; unless told the sum of the handlers' own numbers" },
    ),
    processes: processesFlag({ summary: 'worker processes, or auto for one a core; 1 unless told' }),
    inline: Flags.boolean({
      summary: 'everything in this one process, for debugging',
      exclusive: ['processes', 'watch'],
    }),
    'until-empty': Flags.boolean({
      summary: 'end when no job is due, runs, or comes back; exit 10 when one stopped meanwhile',
      exclusive: ['watch'],
    }),
    'max-jobs': integerFlag(
      { min: 1, max: 1_000_000_000 },
      { summary: 'each process ends after this many jobs' },
    ),
    grace: durationFlag(
      { summary: 'time that running handlers get to finish when told to end; 30s unless told' },
      { min: 0, max: day },
    ),
    watch: Flags.boolean({ summary: 'load the modules anew when a file beside them changes' }),
    'metrics-port': integerFlag(
      { min: 0, max: 65_535 },
      { summary: 'serve Prometheus metrics on this port of 127.0.0.1; 0 for any' },
    ),
    json: Flags.boolean({
      summary: 'JSON lines on a terminal too: each line of the log is one object',
      helpGroup: 'GLOBAL',
    }),
    'worker-id': textFlag(
      { summary: 'name in the list of workers; host and process id unless told', helpValue: 'NAME' },
      100,
    ),
  }

  #hasWorked = false

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RunWorker)
    const options = await readWorkOptions({ files: [args.files].flat(), flags, suffix: this.storeSuffix })
    const isNew = !existsSync(resolve(options.config.store))
    const store = await this.openWriter({ create: true, sparesWorkers: false })
    if (isNew) this.output.note(say`created the store ${(await store.info()).location}`)
    this.#hasWorked = true
    this.endWith(await work({ store, clock: this.clock, output: this.output, ...options }))
  }

  /** A store that takes nothing, or whatever a handler left running in line, must not hold up the end. What was said is written by now. */
  protected override async finally(): Promise<void> {
    if (!this.#hasWorked) return super.finally()
    await Promise.race([super.finally(), this.clock.sleep(closingMs)])
    process.exit()
  }
}
