/** Randomness. The only file that touches `Math.random`; tests use a seeded source. */

/** Returns a number in [0, 1). */
export type Random = () => number

export const systemRandom: Random = () => Math.random()

/** A repeatable source: mulberry32 (Tommy Ettinger, public domain). Same seed, same numbers. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
