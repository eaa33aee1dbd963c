/**
 * Whether a child still answers. One ping is out at a time; the time that it stays unanswered counts only while this
 * process was awake itself, because after a sleep both ends are late.
 */
export class Pulse {
  #id = 0
  #answered = 0
  #silentMs = 0

  /** To be called every tick. Answers the id of a ping to send now, or null while one is out. */
  tick(passedMs: number, tickMs: number): number | null {
    if (this.#answered === this.#id) return ++this.#id
    this.#silentMs += Math.min(passedMs, 2 * tickMs)
    return null
  }

  pong(id: number): void {
    this.#answered = Math.max(this.#answered, id)
    if (this.#answered === this.#id) this.#silentMs = 0
  }

  /** Ms of waking time for which the last ping has been unanswered. */
  get silentMs(): number {
    return this.#silentMs
  }
}
