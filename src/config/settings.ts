/** Every setting: its variable, its range, its default and what it does. docs/configuration.md is generated from it. */
import { defaultSizes } from '../domain/job.ts'

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute
const retention = { min: second, max: 3_650 * day }
const size = { min: 1024, max: 16 * 1024 * 1024 }

/** By its name in wf.config.json. Durations in ms, sizes in bytes, both ends of a range included. */
export const settings = {
  store: { env: 'WF_STORE', default: './wf.db', about: 'path of the store' },
  durability: {
    env: 'WF_DURABILITY',
    words: ['power', 'process'],
    default: 'power',
    about: 'what an accepted job survives: `power` loss, or only the crash of a `process`',
  },
  lease: {
    env: 'WF_LEASE',
    duration: { min: second, max: 10 * minute },
    default: 30 * second,
    about: "how long a worker's jobs stay its own without a renewal",
  },
  renewal: {
    env: 'WF_RENEWAL',
    duration: { min: 50, max: 5 * minute },
    default: 10 * second,
    about:
      'interval of lease renewals; less than half of the lease, and a third of a lease below 30s by default',
  },
  sweep: {
    env: 'WF_SWEEP',
    duration: { min: 50, max: 5 * minute },
    default: 5 * second,
    about: 'interval of checks for expired leases; a sixth of a lease below 30s by default',
  },
  hang: {
    env: 'WF_HANG',
    duration: { min: 100, max: 10 * minute },
    default: 10 * second,
    about: 'a worker process is killed when it has not answered for so long and all its timeouts have passed',
  },
  load: {
    env: 'WF_LOAD',
    duration: { min: 100, max: 10 * minute },
    default: 30 * second,
    about: 'how long a handler module may take to load',
  },
  'retention.finished': {
    env: 'WF_RETENTION_FINISHED',
    retention,
    default: 7 * day,
    about: 'how long completed, rejected and cancelled jobs are kept',
  },
  'retention.deadLetters': {
    env: 'WF_RETENTION_DEAD_LETTERS',
    retention,
    default: 90 * day,
    about: 'how long dead letters are kept',
  },
  'retention.idempotencyKeys': {
    env: 'WF_RETENTION_IDEMPOTENCY_KEYS',
    retention,
    default: 90 * day,
    about: "how long producers' idempotency keys are kept",
  },
  'retention.stats': {
    env: 'WF_RETENTION_STATS',
    retention,
    default: 30 * day,
    about: 'how long statistics and operations are kept',
  },
  'limits.variables': {
    env: 'WF_MAX_VARIABLES',
    size,
    default: defaultSizes.variablesBytes,
    about: 'largest variables of a job, as JSON',
  },
  'limits.result': {
    env: 'WF_MAX_RESULT',
    size,
    default: defaultSizes.resultBytes,
    about: 'largest result of a job, as JSON',
  },
  networkFileSystem: {
    env: 'WF_NETWORK_FILE_SYSTEM',
    words: ['refuse', 'allow'],
    default: 'refuse',
    about: '`allow`: use a store on a network file system, with one process only',
  },
} as const

export type SettingName = keyof typeof settings
