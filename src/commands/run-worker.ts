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
    prose`Starts worker processes that load the handler modules and run due jobs of their types until Ctrl-C or SIGTERM. Then
no job starts, running handlers may finish within the grace period, and unfinished jobs are returned without spending a
retry. A second Ctrl-C stops at once. Creates the store if it does not exist.

Logs one line per job on a terminal, or a summary every few seconds when there are many; JSON lines into a pipe or file, and
on a terminal with --json.`
  static override examples = [
    '<%= config.bin %> run-worker ./charge-payment.ts',
    {
      description: 'one process per core, at most 20 jobs at once in each',
      command: '<%= config.bin %> run-worker ./handlers/*.ts --processes auto --concurrency 20',
    },
    {
      description: 'run all due jobs and exit, for a script',
      command: '<%= config.bin %> run-worker ./handler.ts --until-empty',
    },
    {
      description: 'run under a debugger',
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
    type: typesFlag('handle only these types'),
    concurrency: integerFlag(
      { min: 1, max: 10_000 },
      { summary: 'jobs at once in one process (default: the sum over the handlers)' },
    ),
    processes: processesFlag({ summary: 'worker processes, or auto for one per core (default: 1)' }),
    inline: Flags.boolean({
      summary: 'run everything in this process, for debugging',
      exclusive: ['processes', 'watch'],
    }),
    'until-empty': Flags.boolean({
      summary: 'exit when no job is due, running or waiting for a retry; exits 10 if a job stopped',
      exclusive: ['watch'],
    }),
    'max-jobs': integerFlag(
      { min: 1, max: 1_000_000_000 },
      { summary: 'exit each process after this many jobs' },
    ),
    grace: durationFlag(
      { summary: 'grace period for running handlers at shutdown (default: 30s)' },
      { min: 0, max: day },
    ),
    watch: Flags.boolean({ summary: 'reload the modules when a file beside them changes' }),
    'metrics-port': integerFlag(
      { min: 0, max: 65_535 },
      { summary: 'serve Prometheus metrics on this port of 127.0.0.1; 0 picks one' },
    ),
    json: Flags.boolean({
      summary: 'log JSON lines on a terminal too',
      helpGroup: 'GLOBAL',
    }),
    'worker-id': textFlag(
      { summary: 'name in the list of workers (default: host and process id)', helpValue: 'NAME' },
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
