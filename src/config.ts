/**
 * The settings of a process: flag > WF_* variable > wf.config.json > default. Knows nothing of what the settings do.
 * A value that can't be used is refused, never replaced by a default.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from './config/schema.ts'
import { type SettingName, settings } from './config/settings.ts'
import type { SizeLimits } from './domain/job.ts'
import type { RetentionPolicy } from './domain/retention.ts'
import { WfError } from './errors.ts'
import { isJsonObject } from './text/json.ts'
import { didYouMean, nearestWord } from './text/suggest.ts'

export type Durability = 'power' | 'process'

/** Durations in ms. docs/configuration.md explains each setting. */
export interface Config {
  /** Path or URL, as it was given. */
  store: string
  durability: Durability
  leaseMs: number
  /** Below half of the lease. */
  renewalMs: number
  sweepMs: number
  hangMs: number
  loadMs: number
  retention: RetentionPolicy
  sizes: SizeLimits
  networkFileSystem: 'refuse' | 'allow'
}

/** The settings by their names in wf.config.json. Durations are ms or text such as `30s`, sizes bytes or text such as `1MiB`; `forever` keeps rows. */
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
  /** Folder of wf.config.json (default: no file is read). */
  directory?: string
}

export const configFileName = 'wf.config.json'

/** A value and its source, for refusals: `--lease`, `WF_LEASE`, `lease in wf.config.json`. */
interface Given {
  value: unknown
  from: string
}

/** Throws WfError `invalid_config` naming source, value and what is allowed. */
export async function loadConfig({ flags = {}, env = {}, directory }: ConfigSources): Promise<Config> {
  const file = directory === undefined ? [] : readConfigFile(join(directory, configFileName))
  const given = new Map([...file, ...fromEnv(env), ...flatten(flags, (name) => `--${name}`)])
  return configFrom(await checked(given))
}

/** A store's path alone, as most commands have it, doesn't need the schema. */
async function checked(given: ReadonlyMap<string, Given>): Promise<Settings> {
  const store = given.get('store')?.value
  if (given.size === 0) return {}
  if (given.size === 1 && typeof store === 'string' && store.trim() !== '') return { store }
  const { checkSettings } = await import('./config/schema.ts')
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, { value }] of given) values[name] = value
  return checkSettings(values, ({ path, problem, unknown, hint }) => {
    const from = given.get(unknown ?? String(path[0]))?.from
    if (unknown !== null) return invalid(`${from} is not a setting`, hint)
    return invalid(`${from} ${problem}`, 'correct it, or remove it to use the default')
  })
}

function configFrom(given: Settings): Config {
  const { lease = settings.lease.default } = given
  const orDefault = <N extends SettingName>(name: N) =>
    (given[name] === undefined ? settings[name].default : given[name]) as Exclude<Settings[N], undefined>
  return {
    store: orDefault('store'),
    durability: orDefault('durability'),
    leaseMs: lease,
    renewalMs: given.renewal ?? Math.min(settings.renewal.default, Math.floor(lease / 3)),
    sweepMs: given.sweep ?? Math.min(settings.sweep.default, Math.floor(lease / 6)),
    hangMs: orDefault('hang'),
    loadMs: orDefault('load'),
    retention: {
      finishedMs: orDefault('retention.finished'),
      deadLettersMs: orDefault('retention.deadLetters'),
      idempotencyKeysMs: orDefault('retention.idempotencyKeys'),
      statsMs: orDefault('retention.stats'),
    },
    sizes: {
      variablesBytes: orDefault('limits.variables'),
      resultBytes: orDefault('limits.result'),
    },
    networkFileSystem: orDefault('networkFileSystem'),
  }
}

function fromEnv(env: NonNullable<ConfigSources['env']>): Map<string, Given> {
  const names = new Map<string, string>(
    Object.entries(settings).map(([name, { env: variable }]) => [variable, name]),
  )
  const given = new Map<string, Given>()
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('WF_') || value === undefined) continue
    const name = names.get(variable)
    if (name) given.set(name, { value, from: variable })
    else refuseMisspelt(variable, [...names.keys()])
  }
  return given
}

/** Other programs may have WF_ variables of their own; only one that is nearly a setting's is refused. */
function refuseMisspelt(variable: string, known: readonly string[]): void {
  const meant = nearestWord(variable, known)
  if (meant !== null) throw invalid(`${variable} is not a setting`, didYouMean([meant]))
}

const groups = new Set(
  Object.keys(settings).flatMap((name) => (name.includes('.') ? [name.split('.')[0]] : [])),
)

/** Nested groups become dotted names. Own members only; what is undefined was not given. */
function flatten(input: object, sourceOf: (name: string) => string, prefix = ''): [string, Given][] {
  return Object.entries(input).flatMap(([key, value]): [string, Given][] => {
    const name = `${prefix}${key}`
    if (value === undefined) return []
    if (groups.has(name) && isJsonObject(value)) return flatten(value, sourceOf, `${name}.`)
    return [[name, { value, from: sourceOf(name) }]]
  })
}

function readConfigFile(path: string): [string, Given][] {
  const content = readIfThere(path)
  if (content === null) return []
  const example = 'it is one JSON object, such as { "store": "./wf.db" }'
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw invalid(`${path} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`, example)
  }
  if (!isJsonObject(parsed)) throw invalid(`${path} is not one JSON object`, example)
  return flatten(parsed, (name) => `${name} in ${configFileName}`)
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw invalid(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      'make it readable, or remove it',
    )
  }
}

function invalid(message: string, hint: string | null): WfError {
  return new WfError('invalid_config', message, { hint: hint ?? '' })
}
