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

/** The last 24 figures as bars. */
export function sparkline(figures) {
  const recent = figures.slice(-24)
  const top = Math.max(...recent, 1)
  return recent.map((figure) => '▁▂▃▄▅▆▇█'[Math.round((7 * figure) / top)]).join('')
}

function clear() {
  if (passing) process.stdout.write('\r\u001b[2K')
  passing = false
}
