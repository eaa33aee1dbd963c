/**
 * Long mode, `WF_LONG=1`: random tests repeat more often, and loops over many cases take all of them. A usual run takes fewer,
 * so that `npm test` stays short.
 */
export const long = process.env['WF_LONG'] === '1'

/** How often to repeat: `usual` times, or `inLongMode` times in long mode. */
export function repeats(usual: number, inLongMode: number): number {
  return long ? inLongMode : usual
}
