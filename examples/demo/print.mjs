// How the demo looks: one column of names, one of words; a line that passes is overwritten on a terminal and left out elsewhere.
const terminal = process.stdout.isTTY
const colours = terminal && !process.env.NO_COLOR
const paint = (code) => (text) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = paint('1')
export const dim = paint('2')
const green = paint('32')
const red = paint('31')

let passing = false

export function say(text = '') {
  clear()
  process.stdout.write(`${text}\n`)
}

export function headline(title, words = '') {
  say(`\n${bold(title)}${words ? `  ${dim(words)}` : ''}`)
}

export function row(name, words, { passing: passes = false } = {}) {
  const line = `  ${name.padStart(9)}  ${words}`
  if (!passes) return say(line)
  if (!terminal) return
  clear()
  process.stdout.write(line.slice(0, (process.stdout.columns ?? 80) - 1))
  passing = true
}

export function good(text) {
  say(`  ${green('✓')} ${bold(text)}`)
}

export function warn(text) {
  say(`  ${red('✗')} ${text}`)
}

export function count(number) {
  return number.toLocaleString('en-US')
}

/** Figures as bars, in at most 24 characters: the last ones, or all of them, several to a bar. */
export function sparkline(figures, { all = false } = {}) {
  const perBar = all ? Math.ceil(figures.length / 24) : 1
  const bars = Array.from({ length: Math.ceil(figures.length / perBar) }, (_, at) =>
    sum(figures.slice(at * perBar, (at + 1) * perBar)),
  )
  const recent = bars.slice(-24)
  const top = Math.max(...recent, 1)
  return recent.map((figure) => (figure === 0 ? ' ' : '▁▂▃▄▅▆▇█'[Math.round((7 * figure) / top)])).join('')
}

const sum = (figures) => figures.reduce((all, figure) => all + figure, 0)

function clear() {
  if (passing) process.stdout.write('\r\u001b[2K')
  passing = false
}
