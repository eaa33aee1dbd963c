/**
 * The settings of a process: flag > WF_* variable > wf.config.json > default, each checked where it comes from.
 * Owns names, ranges and defaults; knows nothing of what the settings do. Ms everywhere but in what people write.
 * Nothing falls back in silence: a value that cannot be read is refused, never replaced by a default.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { formatBytes, parseBytes } from './text/bytes.ts'
import { formatDuration, parseDuration } from './text/duration.ts'
import { WfError } from './errors.ts'
import { defaultSizes, type SizeLimits } from './domain/job.ts'
import { isJsonObject } from './text/json.ts'
import { didYouMean, nearestWord, nearWords } from './text/suggest.ts'
import { preview } from './text/preview.ts'
import type { RetentionPolicy } from './domain/retention.ts'

export type Durability = 'power' | 'process'

export interface Config {
  /** Path or URL, as it was given. */
  store: string
  /** What an accepted job survives: `power` loss, or only the crash of any `process`. */
  durability: Durability
  /** A worker's lease; how often it is renewed (below half of it); how often expired ones are looked for. */
  leaseMs: number
  renewalMs: number
  sweepMs: number
  /** A worker process that outlives every running timeout by this without answering is killed. */
  hangMs: number
  /** How long loading the handlers may take. */
  loadMs: number
  retention: RetentionPolicy
  /** The largest variables and results that are taken. */
  sizes: SizeLimits
  /** `allow`: a store on a network file system is used, by one process alone. */
  networkFileSystem: 'refuse' | 'allow'
}

/** What may be set, under the names of wf.config.json. Durations are ms or text such as `30s`, sizes bytes or text such as `1MiB`; `forever` keeps rows. */
export interface ConfigInput {
  store?: string
  durability?: Durability
  lease?: number | string
  renewal?: number | string
  sweep?: number | string
  hang?: number | string
  load?: number | string
  retention?: {
    finished?: number | string
    deadLetters?: number | string
    idempotencyKeys?: number | string
    stats?: number | string
  }
  limits?: { variables?: number | string; result?: number | string }
  networkFileSystem?: 'refuse' | 'allow'
}

export interface ConfigSources {
  /** Flags of a command, or options in code. */
  flags?: ConfigInput
  env?: Readonly<Record<string, string | undefined>>
  /** Where wf.config.json is looked for; unset: nowhere. */
  directory?: string
}

export const configFileName = 'wf.config.json'

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

const sizeRange = { min: 1024, max: 16 * 1024 * 1024 }

/** Both ends included, in ms or bytes. */
interface Range {
  min: number
  max: number
}

/** Every setting by its name in the file, with its variable. */
const settings = {
  store: { env: 'WF_STORE' },
  durability: { env: 'WF_DURABILITY' },
  lease: { env: 'WF_LEASE', range: { min: second, max: 10 * minute } },
  renewal: { env: 'WF_RENEWAL', range: { min: 50, max: 5 * minute } },
  sweep: { env: 'WF_SWEEP', range: { min: 50, max: 5 * minute } },
  hang: { env: 'WF_HANG', range: { min: 100, max: 10 * minute } },
  load: { env: 'WF_LOAD', range: { min: 100, max: 10 * minute } },
  'retention.finished': { env: 'WF_RETENTION_FINISHED', range: { min: second, max: 3_650 * day } },
  'retention.deadLetters': { env: 'WF_RETENTION_DEAD_LETTERS', range: { min: second, max: 3_650 * day } },
  'retention.idempotencyKeys': {
    env: 'WF_RETENTION_IDEMPOTENCY_KEYS',
    range: { min: second, max: 3_650 * day },
  },
  'retention.stats': { env: 'WF_RETENTION_STATS', range: { min: second, max: 3_650 * day } },
  'limits.variables': { env: 'WF_MAX_VARIABLES', bytes: sizeRange },
  'limits.result': { env: 'WF_MAX_RESULT', bytes: sizeRange },
  networkFileSystem: { env: 'WF_NETWORK_FILE_SYSTEM' },
} as const satisfies Record<string, { env: string; range?: Range; bytes?: Range }>

type Name = keyof typeof settings
type TimedName = { [K in Name]: (typeof settings)[K] extends { range: Range } ? K : never }[Name]
type SizeName = { [K in Name]: (typeof settings)[K] extends { bytes: Range } ? K : never }[Name]
type KeptName = Extract<Name, `retention.${string}`>

/** A value and, for refusals, where it came from: `--lease`, `WF_LEASE`, `lease in wf.config.json`. */
interface Given {
  value: unknown
  from: string
}
type Settings = ReadonlyMap<string, Given>

/** Throws WfError `invalid_config` naming source, value and what is allowed. */
export async function loadConfig({ flags = {}, env = {}, directory }: ConfigSources): Promise<Config> {
  const file = directory === undefined ? [] : await readConfigFile(directory)
  return checkConfig(new Map([...file, ...fromEnv(env), ...flatten(flags, (name) => `--${name}`)]))
}

function checkConfig(given: Settings): Config {
  const leaseMs = timed(given, 'lease', 30 * second)
  const renewalMs = timed(given, 'renewal', Math.min(10 * second, Math.floor(leaseMs / 3)))
  if (renewalMs >= leaseMs / 2) {
    const both = `a lease of ${formatDuration(leaseMs)} cannot be kept by renewing every ${formatDuration(renewalMs)}`
    throw invalid(
      both,
      `renew in less than half of the lease: below ${formatDuration(leaseMs / 2)}, or make the lease longer`,
    )
  }
  return {
    store: text(given, 'store', './wf.db'),
    durability: word(given, 'durability', ['power', 'process']),
    leaseMs,
    renewalMs,
    sweepMs: timed(given, 'sweep', Math.min(5 * second, Math.floor(leaseMs / 6))),
    hangMs: timed(given, 'hang', 10 * second),
    loadMs: timed(given, 'load', 30 * second),
    retention: {
      finishedMs: kept(given, 'retention.finished', 7 * day),
      deadLettersMs: kept(given, 'retention.deadLetters', 90 * day),
      idempotencyKeysMs: kept(given, 'retention.idempotencyKeys', 90 * day),
      statsMs: kept(given, 'retention.stats', 30 * day),
    },
    sizes: {
      variablesBytes: sized(given, 'limits.variables', defaultSizes.variablesBytes),
      resultBytes: sized(given, 'limits.result', defaultSizes.resultBytes),
    },
    networkFileSystem: word(given, 'networkFileSystem', ['refuse', 'allow']),
  }
}

function text(given: Settings, name: Name, otherwise: string): string {
  const found = given.get(name)
  if (!found) return otherwise
  if (typeof found.value !== 'string' || found.value.trim() === '')
    throw invalid(`${found.from} is ${preview(found.value, 60)}`, 'give a path or a URL')
  return found.value
}

/** One of a few words; the first is the default. */
function word<W extends string>(given: Settings, name: Name, words: readonly [W, ...W[]]): W {
  const found = given.get(name)
  if (!found) return words[0]
  const chosen = words.find((each) => each === found.value)
  if (chosen === undefined)
    throw invalid(`${found.from} is ${preview(found.value, 60)}`, `it is one of ${words.join(', ')}`)
  return chosen
}

function timed(given: Settings, name: TimedName, otherwise: number): number {
  const found = given.get(name)
  if (!found) return otherwise
  const { min, max } = settings[name].range
  const range = `${formatDuration(min)} to ${formatDuration(max)}`
  const ms = readAs(found, { range, noun: 'duration', read: parseDuration })
  if (ms < min || ms > max) throw invalid(`${found.from} is ${preview(found.value, 60)}`, `it takes ${range}`)
  return ms
}

function sized(given: Settings, name: SizeName, otherwise: number): number {
  const found = given.get(name)
  if (!found) return otherwise
  const { min, max } = settings[name].bytes
  const range = `${formatBytes(min)} to ${formatBytes(max)}`
  const bytes = readAs(found, { range, noun: 'size', read: parseBytes })
  if (bytes < min || bytes > max)
    throw invalid(`${found.from} is ${preview(found.value, 60)}`, `it takes ${range}`)
  return bytes
}

interface Reading {
  range: string
  noun: string
  read(value: number | string, what: string): number
}

function readAs({ value, from }: Given, { range, noun, read }: Reading): number {
  if (typeof value !== 'number' && typeof value !== 'string')
    throw invalid(`${from} is ${preview(value, 60)}, not a ${noun}`, `it takes ${range}`)
  try {
    return read(value, from)
  } catch (error) {
    throw error instanceof WfError ? invalid(error.message, `it takes ${range}; ${error.hint}`) : error
  }
}

/** Rows are kept for ever only when somebody wrote so. */
function kept(given: Settings, name: KeptName, otherwise: number): number | null {
  return given.get(name)?.value === 'forever' ? null : timed(given, name, otherwise)
}

function fromEnv(env: NonNullable<ConfigSources['env']>): Map<string, Given> {
  const names = new Map<string, Name>(
    Object.entries(settings).map(([name, { env: variable }]) => [variable, name as Name]),
  )
  const given = new Map<string, Given>()
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('WF_') || value === undefined) continue
    const name = names.get(variable)
    if (name) given.set(name, { value, from: variable })
    else refuseSlip(variable, [...names.keys()])
  }
  return given
}

/** Other programs may have WF_ variables of their own; one that is nearly ours is a slip. */
function refuseSlip(variable: string, known: readonly string[]): void {
  const meant = nearestWord(variable, known)
  if (meant !== null) throw invalid(`${variable} is not a setting`, didYouMean([meant]))
}

/** Nested groups become dotted names. Own members only; what is undefined was not given. */
function flatten(input: object, nameSource: (name: string) => string, prefix = ''): Map<string, Given> {
  const given = new Map<string, Given>()
  const known = new Set([
    ...Object.keys(settings),
    ...Object.keys(settings).map((name) => name.split('.')[0] ?? name),
  ])
  for (const [key, value] of Object.entries(input)) {
    const name = `${prefix}${key}`
    if (!known.has(name)) throw unknownKey(nameSource(name), name, [...known])
    if (value === undefined) continue
    if (Object.hasOwn(settings, name)) given.set(name, { value, from: nameSource(name) })
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalid(`${nameSource(name)} is ${preview(value, 60)}`, 'it is a group: { … }')
    else for (const [inner, found] of flatten(value, nameSource, `${name}.`)) given.set(inner, found)
  }
  return given
}

function unknownKey(from: string, name: string, known: readonly string[]): WfError {
  const near = nearWords([name], known)
  return invalid(
    `${from} is not a setting`,
    didYouMean(near, near.length > 0 ? '' : `the settings are ${Object.keys(settings).join(', ')}`),
  )
}

async function readConfigFile(directory: string): Promise<Map<string, Given>> {
  const path = join(directory, configFileName)
  const content = readIfThere(path)
  if (content === null) return new Map()
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw invalid(
      `${path} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
      'it is one JSON object, such as { "store": "./wf.db" }',
    )
  }
  const { z } = await import('zod')
  const shape = fileShape(z).safeParse(parsed)
  if (!shape.success || !isJsonObject(parsed))
    throw invalid(
      `${path}: ${firstIssue(shape.error)}`,
      `the settings are ${Object.keys(settings).join(', ')}`,
    )
  // Not what the validator copied: it leaves `__proto__` out, and no stranger is to pass unseen.
  return flatten(parsed, (name) => `${name} in ${configFileName}`)
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw invalid(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      'make it readable, or take it away',
    )
  }
}

/** Types of the file's members. Strangers pass here and are refused by name afterwards, with the word that was meant. */
function fileShape(zod: typeof z) {
  const amount = zod.union([zod.string(), zod.number()]).optional()
  const retention = zod.looseObject({
    finished: amount,
    deadLetters: amount,
    idempotencyKeys: amount,
    stats: amount,
  })
  return zod.looseObject({
    store: zod.string().optional(),
    durability: zod.string().optional(),
    lease: amount,
    renewal: amount,
    sweep: amount,
    hang: amount,
    load: amount,
    retention: retention.optional(),
    limits: zod.looseObject({ variables: amount, result: amount }).optional(),
    networkFileSystem: zod.string().optional(),
  })
}

function firstIssue(error: z.ZodError | undefined): string {
  const issue = error?.issues[0]
  return issue ? `${issue.path.join('.') || 'the file'}: ${issue.message}` : 'the file is not one JSON object'
}

function invalid(message: string, hint: string): WfError {
  return new WfError('invalid_config', message, { hint })
}
