/** A call that may never answer, bounded: told when it is slow, given up when it is hopeless. */
import type { Clock } from '../clock.ts'
import { WfError } from '../domain/errors.ts'

export interface BoundedCall<T> {
  clock: Clock
  call: () => Promise<T>
  /** Once, when no answer has come after 10 s: the store may be waiting for a lock. The call goes on. */
  onSlow(error: WfError): void
  /** An answer came after the call had been given up. */
  onLate(): void
}

const slowMs = 10_000
const hopelessMs = 60_000

/** Rejects with what the call throws or rejects with, or with a WfError `store_unavailable` after 60 s without an answer. */
export function answerWithin<T>({ clock, call, onSlow, onLate }: BoundedCall<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let givenUp = false
    const giveUp = () => {
      givenUp = true
      reject(noAnswer(hopelessMs))
    }
    const slow = () => {
      cancel = clock.after(hopelessMs - slowMs, giveUp, { unref: true })
      onSlow(noAnswer(slowMs))
    }
    let cancel = clock.after(slowMs, slow, { unref: true })
    const answered = () => {
      cancel()
      if (givenUp) onLate()
    }
    asPromise(call).then(resolve, reject).finally(answered)
  })
}

/** A call that throws instead of answering is one that rejects. */
async function asPromise<T>(call: () => Promise<T>): Promise<T> {
  return await call()
}

function noAnswer(ms: number): WfError {
  return new WfError('store_unavailable', `the store has not answered for ${ms / 1_000} s`, { hint: 'see whether another process holds its lock' })
}
