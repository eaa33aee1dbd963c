/**
 * Listens to an abort signal with one listener, however many calls wait for it at once: a handler may make hundreds of
 * calls on its attempt's signal, and Node takes more than ten listeners for a leak. The last to go takes it away.
 */
class Relay {
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

const relays = new WeakMap<AbortSignal, Relay>()

/** Calls `fire` once when `signal` aborts from now on; each `fire` is a function of its own. Ends with the returned function. */
export function onAbort(signal: AbortSignal, fire: () => void): () => void {
  let relay = relays.get(signal)
  if (!relay) {
    relay = new Relay(signal)
    relays.set(signal, relay)
  }
  relay.add(fire)
  return () => relay.delete(fire)
}
