/** Times for people: relative, in the largest unit, so that a column of them can be read at a glance. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `42s`, `3m`, `5h`, `2d`; `0s` below a second. */
export function span(ms: number): string {
  const [unit, size] = unitOf(Math.abs(ms))
  return `${Math.floor(Math.abs(ms) / size)}${unit}`
}

/** Of what is still to come: to the nearest unit, so that two hours are not an hour at once. */
export function spanLeft(ms: number): string {
  const wholeMs = Math.ceil(Math.max(0, ms) / 1_000) * 1_000
  const [unit, size] = unitOf(wholeMs)
  return `${Math.round(wholeMs / size)}${unit}`
}

const unitOf = (ms: number) => units.find(([, unitMs]) => ms >= unitMs) ?? (['s', 1_000] as const)

/** `3m ago`, `in 12s`, `now`. */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return 'now'
  return at < now ? `${span(now - at)} ago` : `in ${spanLeft(at - now)}`
}

/** `1 job`, `2 jobs`, `1,000 jobs`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${count === 1 ? noun : plural(noun)}`
}

export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

const plural = (noun: string) =>
  /(s|x|ch)$/.test(noun) ? `${noun}es` : noun.replace(/([^aeiou])y$/, '$1ie').concat('s')

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
