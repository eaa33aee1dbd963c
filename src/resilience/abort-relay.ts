/**
 * Keeps one listener on an abort signal, however many calls wait for it: a handler may make hundreds of calls on its
 * attempt's signal, and Node warns of a leak at more than ten listeners. The listener is removed with the last waiting call.
 */
class AbortRelay {
  readonly waiting = new Set<() => void>()
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(fire: () => void): void {
    if (this.waiting.size === 0) this.#signal.addEventListener('abort', this)
    this.waiting.add(fire)
  }

  delete(fire: () => void): void {
    if (this.waiting.delete(fire) && this.waiting.size === 0) this.#signal.removeEventListener('abort', this)
  }

  handleEvent(): void {
    const fires = [...this.waiting]
    this.waiting.clear()
    this.#signal.removeEventListener('abort', this)
    for (const fire of fires) fire()
  }
}

const relays = new WeakMap<AbortSignal, AbortRelay>()

/** Calls `fire` once when `signal` aborts after now. Returns a function that removes it. Every `fire` must be a new function. */
export function onAbort(signal: AbortSignal, fire: () => void): () => void {
  let relay = relays.get(signal)
  if (!relay) {
    relay = new AbortRelay(signal)
    relays.set(signal, relay)
  }
  relay.add(fire)
  return () => relay.delete(fire)
}
