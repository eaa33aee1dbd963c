import { describe, expect, it } from 'vitest'
import type { LocalBreaker, NamedBreaker } from '../../src/domain/breaker-row.ts'
import { ownErrorRecord } from '../../src/domain/error-record.ts'
import { explain } from '../../src/messages/explain.ts'
import type { JobFacts, TypeFacts } from '../../src/domain/explain-facts.ts'
import {
  guardedIncidentKinds,
  incidentKinds,
  type Incident,
  type IncidentKind,
} from '../../src/domain/incident.ts'
import { jobStates, type Job } from '../../src/domain/job.ts'
import type { AttemptRecord } from '../../src/domain/outcome.ts'

const now = 1_800_000_000_000
const error = ownErrorRecord({ name: 'Error', code: 'ETIMEDOUT', message: 'the gateway did not answer' })

const plainJob: Job = {
  ...{
    key: 17,
    type: 'charge',
    state: 'available',
    waitReason: null,
    priority: 0,
    runAt: now - 5_000,
    retries: 3,
    retriesGiven: false,
  },
  ...{
    enqueuedRetries: 3,
    attempt: 0,
    failures: 0,
    crashes: 0,
    deferrals: 0,
    deferringSince: null,
    workerId: null,
    startedAt: null,
  },
  ...{ runUntil: null, deadlineAt: null, createdAt: now - 60_000, finishedAt: null, parentKey: null },
}
const idleType: TypeFacts = {
  ...{
    pausedAt: null,
    pausedBy: null,
    pauseReason: null,
    pausedUntil: null,
    workers: 2,
    slots: 20,
    running: 3,
    due: 1,
  },
}
const breaker: NamedBreaker = {
  ...{
    name: 'stripe',
    mode: 'open',
    generation: 3,
    by: 'calls',
    changedAt: now - 10_000,
    expiresAt: now + 20_000,
    probes: [],
  },
  counts: {
    requests: 0,
    successes: 0,
    failures: 0,
    exclusions: 0,
    consecutiveSuccesses: 0,
    consecutiveFailures: 0,
  },
  ...{ terms: { openForMs: 30_000, probes: 1 }, who: 'w#1', reason: '5 failures in a row' },
}
const ownBreaker: LocalBreaker = {
  ...{
    name: 'stripe',
    mode: 'open',
    generation: 3,
    changedAt: now - 10_000,
    expiresAt: now + 20_000,
    types: ['charge'],
  },
}
const failure: AttemptRecord = {
  ...{
    jobKey: 17,
    attempt: 2,
    workerId: 'w#1',
    startedAt: now - 9_000,
    finishedAt: now - 8_000,
    outcome: 'fail',
    error,
  },
  ...{ failureCategory: 'error', nonRetryable: false, backoffMs: 4_000, nextRunAt: now + 4_000 },
}

interface Given {
  job?: Partial<Job>
  type?: Partial<TypeFacts>
  facts?: Partial<JobFacts>
}

function explained({ job, type, facts }: Given) {
  return explain({
    ...{
      job: { ...plainJob, ...job },
      now,
      type: { ...idleType, ...type },
      breakers: [],
      ownBreakers: [],
      holder: null,
      anyWorkerAlive: true,
    },
    ...{ openIncident: null, openDeadLetter: null, lastAttempt: null, unknownSteps: [] },
    ...facts,
  })
}

const text = (given: Given) => {
  const { why, next } = explained(given)
  return [...why, ...next].join(' ')
}
const firstCommand = (given: Given) => explained(given).commands[0]?.args.join(' ')

const incidentOf = (kind: IncidentKind): Incident => ({
  ...{
    id: 4,
    jobKey: 17,
    type: 'charge',
    kind,
    error,
    fingerprint: '3fa91b0000000000',
    attempt: 3,
    createdAt: now - 120_000,
  },
  ...{ resolvedAt: null, resolvedBy: null, resolution: null, reason: null },
})

describe('a due job', () => {
  it('is about to be taken where nothing is in its way', () => {
    expect(text({})).toBe('It has been due for 5s. A worker that is idle takes it within moments.')
    expect(explained({}).at).toBe(now)
  })

  it.each<[string, Given, string, string]>([
    [
      'a pause',
      { type: { pausedAt: now - 60_000, pausedBy: 'ann@ops', pauseReason: 'bad release' } },
      'paused 1m ago by ann@ops: bad release',
      'types resume charge',
    ],
    [
      'a pause with an end',
      { type: { pausedAt: now - 60_000, pausedUntil: now + 60_000 } },
      'ends by itself in 1m',
      'types resume charge',
    ],
    [
      'an open breaker',
      { facts: { breakers: [breaker] } },
      'At most 1 call may try in 20s',
      'breakers show stripe',
    ],
    [
      'own breakers of all workers',
      { facts: { ownBreakers: [ownBreaker] } },
      'own breaker of stripe is open',
      'breakers list',
    ],
    [
      'a half-open breaker',
      { facts: { breakers: [{ ...breaker, mode: 'half_open' }] } },
      'is half-open',
      'breakers show stripe',
    ],
    [
      'a tripped breaker',
      { facts: { breakers: [{ ...breaker, by: 'operator', who: 'ann@ops' }] } },
      'was opened by ann@ops 10s ago',
      'breakers show stripe',
    ],
    [
      'nobody there',
      { type: { workers: 0 } },
      'No living worker handles the type charge.',
      'run-worker FILE',
    ],
    [
      'no free slot',
      { type: { running: 20, due: 4 } },
      'All 20 slots of 2 workers for charge are taken.',
      'jobs list --type charge --state running',
    ],
  ])('names %s that holds it, and the command that changes it', (_, given, words, command) => {
    expect(text(given)).toContain(words)
    expect(firstCommand(given)).toBe(command)
  })

  it('is held by the strongest of several', () => {
    const all = { type: { pausedAt: now, workers: 0 }, facts: { breakers: [breaker] } }
    expect(text(all)).toContain('was paused')
    expect(text({ ...all, type: { workers: 0 } })).toContain('breaker of stripe')
  })

  it('is not held by a pause that has ended', () => {
    expect(text({ type: { pausedAt: now - 60_000, pausedUntil: now } })).not.toContain('paused')
  })

  it('says that it runs alone after two losses', () => {
    expect(text({ job: { crashes: 2 } })).toContain('died 2 times in a row')
    expect(text({ job: { crashes: 2 } })).toContain('A worker of its own starts it, alone')
  })

  it('names its deadline, and that it is too late for one that has passed', () => {
    expect(text({ job: { deadlineAt: now + 60_000 } })).toContain('by its deadline in 1m. Otherwise it stops')
    expect(text({ job: { deadlineAt: now - 1 } })).toContain('That is too late already')
  })
})

describe('a waiting job', () => {
  it.each<[string, Given, string]>([
    [
      'delay',
      { job: { waitReason: 'delay' } },
      'Its producer asked for a later start when it was enqueued 1m ago.',
    ],
    [
      'backoff',
      {
        job: { waitReason: 'backoff', attempt: 2, failures: 2, retries: 1 },
        facts: { lastAttempt: failure },
      },
      'Attempt 2 failed with ETIMEDOUT: the gateway did not answer; that was failure 2 of 3, 1 execution left.',
    ],
    [
      'second loss',
      { job: { waitReason: 'backoff', attempt: 2, crashes: 2 } },
      'Attempt 2 was lost with its worker, for the second time in a row.',
    ],
    [
      'deferral',
      {
        job: { waitReason: 'deferred', deferrals: 1 },
        facts: {
          lastAttempt: {
            ...failure,
            outcome: 'defer',
            error: { ...error, code: 'BY_HANDLER', message: 'rates are fixed at noon' },
          },
        },
      },
      'came to nothing and cost nothing: rates are fixed at noon (1 deferral so far).',
    ],
  ])('says what it waits for: %s', (_, { job, facts }, words) => {
    const given = { job: { state: 'waiting' as const, runAt: now + 4_000, ...job }, facts: facts ?? {} }
    expect(text(given)).toContain(words)
    expect(text(given)).toContain('It is due in 4s and starts then.')
    expect(explained(given).at).toBe(now + 4_000)
  })

  it('does not promise a start at its time while its type is held', () => {
    const given: Given = {
      job: { state: 'waiting', waitReason: 'delay', runAt: now + 4_000 },
      facts: { breakers: [breaker] },
    }
    expect(text(given)).toContain('It is due in 4s, but due jobs do not start yet.')
    expect(explained(given).at).toBe(now + 20_000)
    expect(explained({ ...given, type: { pausedAt: now } }).at).toBeNull()
  })
})

describe('a running job', () => {
  const running: Partial<Job> = {
    state: 'running',
    attempt: 3,
    workerId: 'w#1',
    startedAt: now - 2_000,
    runUntil: now + 90_000,
  }
  const holder = { label: 'w', host: 'box', pid: 42, leaseUntil: now + 30_000 }

  it('names its living worker and its timeout', () => {
    expect(text({ job: running, facts: { holder } })).toBe(
      'Attempt 3 started 2s ago on worker w (process 42 on box), which is alive. It ends when its handler does, at the latest by its timeout in 30s.',
    )
  })

  it.each<[string, Partial<JobFacts>, Partial<Job>, string]>([
    [
      'its lease ended',
      { holder: { ...holder, leaseUntil: now - 5_000 } },
      {},
      'the lease of its worker w#1 ended 5s ago',
    ],
    ['it is gone', { holder: null }, {}, 'its worker w#1 is not registered any more'],
    ['its time ended', { holder }, { runUntil: now - 1_000 }, 'its time ended 1s ago'],
  ])('says that its worker left it behind when %s', (_, facts, job, words) => {
    expect(text({ job: { ...running, ...job }, facts })).toContain(words)
    expect(text({ job: { ...running, ...job }, facts })).toContain('takes it back with its next sweep')
    expect(text({ job: { ...running, ...job }, facts: { ...facts, anyWorkerAlive: false } })).toContain(
      'no worker is alive',
    )
  })
})

describe('a stopped job', () => {
  it.each(incidentKinds)(
    'has a finished sentence for %s, waits for a person, and is told the command that takes it',
    (kind) => {
      const given: Given = {
        job: { state: 'failed', failures: 3 },
        facts: { openIncident: incidentOf(kind) },
      }
      expect(text(given)).toMatch(
        /ETIMEDOUT: the gateway did not answer.* That was 2m ago\. Nothing happens until a person acts\.$/,
      )
      const commands = explained(given).commands.map(({ args }) => args.join(' '))
      expect(commands).toContain(
        kind === 'poison_message' ? 'incidents resolve 17 --set PATH=VALUE' : 'incidents resolve 17',
      )
      const named = guardedIncidentKinds.includes(kind) ? `--kind ${kind} ` : ''
      expect(commands).toContain(`incidents resolve ${named}--fingerprint 3fa91b0000000000 --dry-run`)
    },
  )

  it('names steps that may have taken effect', () => {
    const given: Given = {
      job: { state: 'failed' },
      facts: { openIncident: incidentOf('job_no_retries'), unknownSteps: ['charge', 'mail'] },
    }
    expect(text(given)).toContain('Nobody knows whether the steps charge, mail took effect')
  })

  it('says of a dead letter what can be done', () => {
    const letter = {
      ...{
        jobKey: 17,
        type: 'charge',
        processInstanceKey: 17,
        reason: 'exhausted' as const,
        errorName: 'Error',
        errorCode: null,
        errorMessage: 'no',
      },
      ...{
        receivedAt: now - 60_000,
        count: 1,
        closedAt: null,
        closedBy: null,
        resolution: null,
        closeReason: null,
      },
    }
    const given: Given = { job: { state: 'dead', failures: 3 }, facts: { openDeadLetter: letter } }
    expect(text(given)).toContain(
      'It failed 3 times, the last time with Error: no, and its handler sets such jobs aside: it became a dead letter 1m ago.',
    )
    expect(explained(given).commands.map(({ args }) => args[1])).toEqual(['show', 'retry', 'discard'])
  })
})

describe('a job that is over', () => {
  it.each<[Job['state'], string]>([
    ['completed', 'It was completed 1m ago by attempt 1.'],
    ['rejected', 'Its handler refused it 1m ago; that is an answer, not a failure.'],
    ['cancelled', 'It was cancelled 1m ago.'],
  ])('is said to be %s for good', (state, words) => {
    expect(text({ job: { state, attempt: 1, finishedAt: now - 60_000 } })).toBe(
      `${words} It is over: nothing happens any more.`,
    )
  })
})

describe('every explanation', () => {
  it('is made of finished sentences on one line, whatever the state and the clock', () => {
    for (const state of jobStates)
      for (const shift of [-1e12, 0, 1e12]) {
        const job = {
          ...plainJob,
          state,
          runAt: now + shift,
          createdAt: now + shift,
          runUntil: now + shift,
          startedAt: now + shift,
          finishedAt: now + shift,
        }
        const { why, next } = explained({
          job,
          facts: {
            openIncident: { ...incidentOf('raised'), error: { ...error, message: 'line 1\nline 2\u0000' } },
          },
        })
        for (const sentence of [...why, ...next])
          expect([state, sentence]).toEqual([state, expect.stringMatching(/^[A-Z][^\n]*\.$/)])
        expect([why.length > 0, next.length > 0]).toEqual([true, true])
      }
  })
})
