import { describe, expect, it } from 'vitest'
import { exitCodeOf, tellEnd, type TellEnd } from '../../../src/cli/run-worker/run-end.ts'
import { logCleaner } from '../../../src/text/sanitize.ts'
import { capturedLog } from '../../support/captured-log.ts'

function told({
  counts = {},
  left = [],
  suffix = '',
  ...end
}: Partial<TellEnd['end']> & Partial<Pick<TellEnd, 'left' | 'suffix'>>): readonly string[] {
  const log = capturedLog()
  tellEnd(log, { end: { why: 'empty', allReturned: true, counts, ...end }, left, seconds: 3.21, suffix })
  return log.lines.map(({ level, message }) => `${level} ${logCleaner.message(message)}`)
}

describe('the end of a run', () => {
  it('counts jobs that came to rest and other attempts apart', () => {
    expect(told({ counts: { completed: 3, retried: 5 } })).toEqual([
      'info worker stopped after 3.2 s; jobs: 3 completed; other attempts: 5 failed',
    ])
    expect(told({})).toEqual(['info worker stopped after 3.2 s; no job'])
  })

  it('says where to look only where there is something', () => {
    expect(told({ counts: { failed: 1 } }).slice(1)).toEqual(['info See them with: wf incidents list'])
    expect(told({ counts: { dead: 1 }, suffix: ' --store x.db' }).slice(1)).toEqual([
      'info See dead letters with: wf dlq list --store x.db',
    ])
    expect(told({ counts: { rejected: 1, lost: 2 } }).slice(1)).toEqual([])
  })

  it('names what stays, and why', () => {
    const left = [
      { type: 'pay', count: 250, because: 'paused' },
      { type: 'send otp', count: 1, because: 'paused' },
      { type: 'fax', count: 2, because: 'paused', untilAt: Date.UTC(2030, 0, 31, 9) },
      { type: 'mail', count: 1, because: 'delay' },
      { type: 'sms', count: 2_000, because: 'handler' },
    ] as const
    expect(told({ left, suffix: ' --store x.db' }).slice(0, -1)).toEqual([
      'warn 250 jobs of pay stay: the type is paused; wf types resume pay --store x.db',
      "warn 1 job of send otp stays: the type is paused; wf types resume 'send otp' --store x.db",
      'warn 2 jobs of fax stay: the type is paused until 2030-01-31T09:00:00.000Z; wf types resume fax --store x.db',
      'info 1 job of mail stays: not due yet',
      'info 2,000 jobs of sms stay: no handler here takes the type',
    ])
  })

  // B139
  it('ends with 10 when it was to work until nothing is left and something stopped, dead letters and unstorable outcomes too', () => {
    const code = (end: Partial<TellEnd['end']>, untilEmpty = true) =>
      exitCodeOf({ why: 'empty', allReturned: true, counts: {}, ...end }, { untilEmpty })
    expect([
      code({ counts: { completed: 1 } }),
      code({ counts: { failed: 1 } }),
      code({ counts: { dead: 1 } }),
    ]).toEqual([0, 10, 10])
    expect([code({ counts: { failed: 1 }, why: 'drained' }), code({ counts: { failed: 1 } }, false)]).toEqual(
      [0, 0],
    )
    expect([code({ why: 'stopped' }), code({ allReturned: false }), code({ why: 'panic' })]).toEqual([
      130, 3, 1,
    ])
  })
})
