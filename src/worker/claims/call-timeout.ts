/** Calls that may never answer, bounded, one after the other: told when one is slow, given up when it is hopeless. */
import type { Cancel, Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'

export interface PatientCallerOptions {
  clock: Clock
  /** Once a call, when no answer has come after 10 s: the store may be waiting for a lock. The call goes on. */
  onSlow(error: WfError): void
  /** An answer came after its call had been given up. */
  onLate(): void
}

const slowMs = 10_000
const hopelessMs = 60_000

export class PatientCaller {
  readonly #options: PatientCallerOptions
  #cancel: Cancel = () => undefined
  #closed = false

  constructor(options: PatientCallerOptions) {
    this.#options = options
  }

  /** Rejects with what the call throws or rejects with, or with a WfError `store_unavailable` after 60 s without an answer. */
  ask<T>(call: () => Promise<T>): Promise<T> {
    const { clock, onSlow, onLate } = this.#options
    return new Promise((resolve, reject) => {
      let givenUp = false
      const giveUp = () => {
        givenUp = true
        reject(noAnswer(hopelessMs))
      }
      const slow = () => {
        this.#cancel = clock.after(hopelessMs - slowMs, giveUp, { unref: true })
        onSlow(noAnswer(slowMs))
      }
      this.#cancel = clock.after(slowMs, slow, { unref: true })
      const answered = () => {
        if (!givenUp) this.#cancel()
        else if (!this.#closed) onLate()
      }
      asPromise(call).then(resolve, reject).finally(answered)
    })
  }

  /** Nobody waits any more. */
  close(): void {
    this.#closed = true
    this.#cancel()
  }
}

/** A call that throws instead of answering is one that rejects. */
async function asPromise<T>(call: () => Promise<T>): Promise<T> {
  return await call()
}

function noAnswer(ms: number): WfError {
  return new WfError('store_unavailable', `the store has not answered for ${ms / 1_000} s`, {
    hint: 'see whether another process holds its lock',
  })
}
