import { Args, Flags } from '@oclif/core'
import type { Bulk } from '../cli/enqueue/bulk-enqueue.ts'
import { BaseCommand } from '../cli/base-command.ts'
import { awaitResult, enqueueOne, tellAccepted } from '../cli/enqueue/enqueue-one.ts'
import { parseObject } from '../text/strict-json.ts'
import {
  deadlineFlag,
  durationFlag,
  guarded,
  instantFlag,
  integerFlag,
  retriesFlag,
  textFlag,
} from '../cli/flags.ts'
import { given } from '../text/json.ts'
import { openSource, readSource, variablesLimit } from '../cli/input/input.ts'
import { readKeyPath, type KeyPath } from '../cli/input/key-path.ts'
import { readText } from '../text/parse-input.ts'
import { prose } from '../text/dedent.ts'
import { WfError } from '../errors.ts'
import { limits } from '../domain/job.ts'
import type { EnqueueInput } from '../domain/new-job.ts'

export default class Enqueue extends BaseCommand {
  static override summary = 'Enqueue one or more jobs'
  static override description =
    prose`Prints the job's key once the job is on disk. Creates the store if it does not exist.

VARIABLES is a JSON object, @FILE to read one from a file, or - for standard input (default: no variables). With --bulk, each
line holds the variables of one job; refused lines are reported and the others are enqueued. With --idempotency-key-from,
the same lines can be enqueued again after a failure without a duplicate. Integers that JavaScript cannot represent
exactly are refused: write them as strings.`
  static override examples = [
    `<%= config.bin %> enqueue charge-payment '{"orderId":"o-1","amount":30}'`,
    {
      description: 'start in an hour, but not later than in six',
      command: '<%= config.bin %> enqueue send-report @report.json --delay 1h --deadline 6h',
    },
    {
      description: 'enqueue one job per line',
      command: '<%= config.bin %> enqueue charge-payment @orders.jsonl --bulk',
    },
    {
      description: 'the same without duplicates when it is repeated',
      command: '<%= config.bin %> enqueue charge-payment @orders.jsonl --bulk --idempotency-key-from orderId',
    },
    {
      description: 'wait for the job and print its result',
      command: `<%= config.bin %> enqueue add '{"a":1,"b":2}' --wait --timeout 30s`,
    },
  ]
  static override usage = 'enqueue TYPE [JSON | @FILE | -] [FLAGS]'
  static override args = {
    type: Args.custom<string>({
      description: 'type of the job: it selects the handler',
      required: true,
      ignoreStdin: true,
      parse: async (text) => readText(text, 'the type', limits.typeCharacters),
    })(),
    variables: Args.string({ description: 'JSON object, @FILE or -', ignoreStdin: true }),
  }
  static override flags = {
    bulk: Flags.boolean({ summary: 'one job for each line of JSON', exclusive: ['wait', 'idempotency-key'] }),
    delay: durationFlag({ summary: 'delay before the job may start' }),
    at: instantFlag({ summary: 'earliest start, such as 2030-01-31T09:00:00Z' }),
    priority: integerFlag(
      { min: -limits.priority, max: limits.priority },
      { summary: 'priority; higher starts first (default: 0)' },
    ),
    retries: retriesFlag("executions, 1 to 1,000 (default: the handler's, else 3)"),
    'idempotency-key': textFlag(
      { summary: 'idempotency key: the same type, key and variables return the first job', helpValue: 'KEY' },
      limits.idempotencyKeyCharacters,
    ),
    'idempotency-key-from': Flags.custom<KeyPath>({
      summary: 'with --bulk: path of the idempotency key in each line',
      helpValue: 'PATH',
      parse: guarded(readKeyPath),
    })(),
    deadline: deadlineFlag({ summary: 'latest moment at which the job may start' }),
    wait: Flags.boolean({ summary: 'wait until the job has ended or stopped, and print its result' }),
    timeout: durationFlag({ summary: 'with --wait: how long to wait; exits 7 when it is over' }),
    ids: Flags.boolean({ summary: 'print only the key', exclusive: ['wait', 'bulk'] }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Enqueue)
    if (flags.delay !== undefined && flags.at !== undefined)
      throw new WfError('usage', '--delay and --at both say when', { hint: 'give one of them' })
    const keyFrom = flags['idempotency-key-from'] ?? null
    if (keyFrom !== null && !flags.bulk)
      throw new WfError('usage', '--idempotency-key-from is for the lines of --bulk', {
        hint: 'give one job its key with --idempotency-key',
      })
    if (flags.timeout !== undefined && !flags.wait)
      throw new WfError('usage', '--timeout says how long to wait', { hint: 'add --wait' })
    const shared = given<EnqueueInput>({
      type: args.type,
      delay: flags.delay,
      at: flags.at,
      priority: flags.priority,
      retries: flags.retries,
      idempotencyKey: flags['idempotency-key'],
      deadline: flags.deadline,
    })
    if (flags.bulk) await this.#many({ shared, keyFrom }, args.variables ?? '-')
    else await this.#one(shared, args.variables, flags)
  }

  async #one(
    shared: EnqueueInput,
    variables: string | undefined,
    { wait, timeout, ids }: { wait: boolean; timeout?: number | undefined; ids: boolean },
  ): Promise<void> {
    const input =
      variables === undefined ? shared : { ...shared, variables: await this.#variablesAt(variables) }
    const engine = await this.openCreating()
    const accepted = await enqueueOne(engine, input)
    if (wait) await awaitResult(this.output, { engine, clock: this.clock, accepted, timeoutMs: timeout })
    else tellAccepted(this.output, accepted, { input, now: engine.now(), ids })
  }

  async #many({ shared, keyFrom }: Pick<Bulk, 'shared' | 'keyFrom'>, place: string): Promise<void> {
    const [{ enqueueLines }, { tellBulk }, { createProgress }, { onInterrupt }] = await Promise.all([
      import('../cli/enqueue/bulk-enqueue.ts'),
      import('../cli/enqueue/bulk-sum.ts'),
      import('../terminal/progress.ts'),
      import('../cli/input/interrupt.ts'),
    ])
    const source = await openSource(place)
    const engine = await this.openCreating()
    const interrupt = onInterrupt(this.output)
    try {
      const progress = createProgress(this.output, this.clock, 'jobs')
      const done = await enqueueLines({
        engine,
        source,
        shared,
        keyFrom,
        progress,
        signal: interrupt.signal,
        clock: this.clock,
      })
      this.endWith(
        tellBulk(this.output, { ...done, stoppedWith: interrupt.exitCode, keyed: keyFrom !== null }),
      )
    } finally {
      interrupt.release()
    }
  }

  /** The words themselves, or where they stand. */
  async #variablesAt(place: string): Promise<Record<string, unknown>> {
    if (place !== '-' && !place.startsWith('@')) return parseObject(place, 'the variables')
    const [{ sizes }, source] = await Promise.all([this.settings(), openSource(place)])
    return parseObject(await readSource(source, variablesLimit(sizes.variablesBytes)), source.name)
  }
}
