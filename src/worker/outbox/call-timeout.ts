/** Bounds calls that may never answer: reports a slow one after 10 s, and gives it up after 60 s. */
import type { Cancel, Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'

export interface CallTimeoutOptions {
  clock: Clock
  /** Called once a call, after 10 s without an answer: the store may be waiting for a lock. The call goes on. */
  onSlow(error: WfError): void
  /** Called when an answer arrives after its call was given up. */
  onLate(): void
}

const slowMs = 10_000
const giveUpMs = 60_000

export class CallTimeout {
  readonly #options: CallTimeoutOptions
  #cancel: Cancel = () => undefined
  #closed = false

  constructor(options: CallTimeoutOptions) {
    this.#options = options
  }

  /** Rejects as the call does, or with `WfError('store_unavailable')` after 60 s without an answer. One call at a time. */
  call<T>(work: () => Promise<T>): Promise<T> {
    const { clock, onSlow, onLate } = this.#options
    return new Promise((resolve, reject) => {
      let givenUp = false
      const giveUp = () => {
        givenUp = true
        reject(noAnswer(giveUpMs))
      }
      const slow = () => {
        this.#cancel = clock.after(giveUpMs - slowMs, giveUp, { unref: true })
        onSlow(noAnswer(slowMs))
      }
      this.#cancel = clock.after(slowMs, slow, { unref: true })
      const answered = () => {
        if (!givenUp) this.#cancel()
        else if (!this.#closed) onLate()
      }
      asPromise(work).then(resolve, reject).finally(answered)
    })
  }

  /** Stops the timers and reports nothing more. */
  close(): void {
    this.#closed = true
    this.#cancel()
  }
}

/** Turns a synchronous throw into a rejection. */
async function asPromise<T>(work: () => Promise<T>): Promise<T> {
  return await work()
}

function noAnswer(ms: number): WfError {
  return new WfError('store_unavailable', `the store has not answered for ${ms / 1_000} s`, {
    hint: 'check whether another process holds its lock',
  })
}
