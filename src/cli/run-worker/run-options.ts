/** What `wf run-worker` was asked for, checked before anything is opened or started. */
import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import type { Upkeep } from '../../worker/leases/store-watch.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { RunEnd } from './run-end.ts'
import { statSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { loadConfig, type Config } from '../../config.ts'
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { type LogLevel, logLevels } from '../../logger.ts'
import { RefusedValue } from '../errors.ts'
import { readInteger } from '../../text/parse-input.ts'

/** What a way to run is given. */
export interface RunParts extends WorkOptions {
  engine: Engine
  clock: Clock
  log: Logger
  upkeep: readonly Upkeep[]
  /** Absolute path of the store. */
  place: string
  storeId: string
  /** With --until-empty: whether it may end now. */
  isEmpty: ((types: readonly string[]) => Promise<boolean>) | null
  /** Tells why the process ends, where nothing can be thrown any more. */
  report(error: WfError): ExitCode
}

export interface Run {
  drain(): void
  stopNow(): void
  /** Rejects with a WfError when it could not do its work. */
  readonly ended: Promise<RunEnd>
}

const mostProcesses = 64

export interface WorkOptions {
  /** Absolute paths. */
  files: readonly string[]
  types: readonly string[]
  /** Null: the sum of the handlers' own numbers. */
  concurrency: number | null
  processes: number
  inline: boolean
  untilEmpty: boolean
  /** Null: no end. */
  maxJobs: number | null
  graceMs: number
  watch: boolean
  /** Null: none. */
  metricsPort: number | null
  /** First part of worker ids. */
  label: string
  /** What metrics call the worker: without a process id, since counters are kept for as long as the store. */
  countedAs: string
  logLevel: LogLevel
  /** Behind commands that are shown to be copied: names the store where it is not the usual one. */
  suffix: string
  config: Config
}

export interface WorkFlags {
  store?: string | undefined
  type?: string[] | undefined
  concurrency?: number | undefined
  processes?: number | 'auto' | undefined
  inline: boolean
  'until-empty': boolean
  'max-jobs'?: number | undefined
  grace?: number | undefined
  watch: boolean
  'metrics-port'?: number | undefined
  'worker-id'?: string | undefined
}

export const processesFlag = (described: { summary: string }) =>
  Flags.custom<number | 'auto'>({
    helpValue: 'N|auto',
    ...described,
    async parse(text, _context, { name = 'processes' }: { name?: string }) {
      try {
        return text === 'auto' ? text : readInteger(text, `--${name}`, { min: 1, max: mostProcesses })
      } catch (error) {
        throw error instanceof WfError ? new RefusedValue(error) : error
      }
    },
  })()

export async function readWorkOptions({
  files,
  flags,
  suffix,
}: {
  files: readonly string[]
  flags: WorkFlags
  suffix: string
}): Promise<WorkOptions> {
  const { store, processes = 1 } = flags
  return {
    files: files.map(moduleAt),
    types: flags.type ?? [],
    concurrency: flags.concurrency ?? null,
    processes: processes === 'auto' ? Math.min(availableParallelism(), mostProcesses) : processes,
    inline: flags.inline,
    untilEmpty: flags['until-empty'],
    maxJobs: flags['max-jobs'] ?? null,
    graceMs: flags.grace ?? 30_000,
    watch: flags.watch,
    metricsPort: flags['metrics-port'] ?? null,
    label: labelOf(flags['worker-id']),
    countedAs: flags['worker-id'] ?? hostname(),
    logLevel: levelFrom(process.env['WF_LOG_LEVEL']),
    suffix,
    config: await loadConfig({
      flags: store === undefined ? {} : { store },
      env: process.env,
      directory: process.cwd(),
    }),
  }
}

function moduleAt(file: string): string {
  const path = resolve(file)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found)
    throw new WfError('handler_load_failed', `there is no file ${path}`, {
      hint: 'wf run-worker takes the paths of handler modules',
    })
  if (!found.isFile())
    throw new WfError('handler_load_failed', `${path} is not a file`, {
      hint: 'name the handler modules in it',
    })
  return path
}

function levelFrom(text: string | undefined): LogLevel {
  if (text === undefined || text === '') return 'info'
  const level = logLevels.find((each) => each === text)
  if (level === undefined)
    throw new WfError('invalid_config', `WF_LOG_LEVEL is ${preview(text, 60)}`, {
      hint: `it is one of ${logLevels.join(', ')}`,
    })
  return level
}

/** Ids are `label.post#incarnation`. */
function labelOf(given: string | undefined): string {
  if (given?.includes('#'))
    throw new WfError('usage', '--worker-id may not contain #', {
      hint: 'what follows a # tells one start of the worker from another',
    })
  return given ?? `${hostname()}-${process.pid}`
}
