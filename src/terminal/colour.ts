/** Whether a stream gets colours. Pure; every sign that can say so, in order of who wins. */

export interface ColourSigns {
  env: Readonly<Record<string, string | undefined>>
  isTTY: boolean
  /** `--no-color`. */
  refused: boolean
}

/**
 * `--no-color` beats `FORCE_COLOR` (0 and false: never; anything else: always), which beats a non-empty `NO_COLOR`
 * (no-color.org) and `TERM=dumb`; without any of them a terminal gets colours and a pipe or file none.
 */
export function wantsColour({ env, isTTY, refused }: ColourSigns): boolean {
  if (refused) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced.toLowerCase() !== 'false'
  if (env['NO_COLOR'] || env['TERM'] === 'dumb') return false
  return isTTY
}
