/** Times for people: relative, in the largest unit, so that a column of them can be read at a glance. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `42s`, `3m`, `5h`, `2d`; `0s` below a second. */
export function span(ms: number): string {
  const [unit, size] = units.find(([, unitMs]) => Math.abs(ms) >= unitMs) ?? ['s', 1_000]
  return `${Math.floor(Math.abs(ms) / size)}${unit}`
}

/** `3m ago`, `in 12s`, `now`. */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return 'now'
  return at < now ? `${span(now - at)} ago` : `in ${span(at - now)}`
}

/** `1 job`, `2 jobs`, `1,000 jobs`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${count === 1 ? noun : plural(noun)}`
}

export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

const plural = (noun: string) => (/(s|x|ch)$/.test(noun) ? `${noun}es` : noun.replace(/([^aeiou])y$/, '$1ie').concat('s'))

/** `512 B`, `14 kB`, `3.2 MB`. */
export function bytesWords(bytes: number): string {
  const [unit, size] = (
    [
      ['GB', 1e9],
      ['MB', 1e6],
      ['kB', 1e3],
    ] as const
  ).find(([, each]) => bytes >= each) ?? ['B', 1]
  const count = bytes / size
  return `${size > 1 && count < 10 ? count.toFixed(1) : Math.round(count)} ${unit}`
}
