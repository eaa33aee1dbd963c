/** Words for a command line that is shown to be copied. */

/** Quoted where a shell would take it apart. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
