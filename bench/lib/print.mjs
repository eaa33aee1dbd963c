import { median, spread } from './stats.mjs'

const units = {
  rate: { title: 'jobs/s', digits: 0 },
  cpuUs: { title: 'CPU µs/job', digits: 1 },
  loopP99: { title: 'loop p99 ms', digits: 1 },
  loopMax: { title: 'loop max ms', digits: 1 },
  cpuMs: { title: 'CPU ms', digits: 0 },
  rss: { title: 'RSS MB', digits: 0 },
  p50: { title: 'p50 ms', digits: 2 },
  p99: { title: 'p99 ms', digits: 2 },
  ms: { title: 'ms', digits: 1 },
  callUs: { title: 'µs a call over bare', digits: 2 },
  p90Us: { title: 'p90', digits: 2 },
  bareUs: { title: 'bare µs', digits: 3 },
  idle: { title: 'idle % of a core', digits: 2 },
  share: { title: 'slowest share %', digits: 0 },
  longest: { title: 'longest transaction ms', digits: 1 },
}

/** One line a measurement, one column a value: the median of the rounds and, in brackets, the least and the most. */
export function printResults(results) {
  const keys = [...new Set(Object.values(results).flatMap((rounds) => Object.keys(rounds[0] ?? {})))]
  const rows = [['', ...keys.map((key) => units[key]?.title ?? key)]]
  for (const [name, rounds] of Object.entries(results)) {
    rows.push([
      name,
      ...keys.map((key) =>
        cell(
          rounds.map((round) => round[key]),
          units[key]?.digits ?? 2,
        ),
      ),
    ])
  }
  printTable(rows)
}

function cell(values, digits) {
  if (values.some((value) => value === undefined)) return ''
  const { min, median, max } = spread(values)
  return `${median.toFixed(digits)} [${min.toFixed(digits)} … ${max.toFixed(digits)}]`
}

export function printFloors(judged) {
  if (judged.length === 0) return
  const rows = [['floor', 'limit', 'measured', 'rounds', 'holds']]
  for (const { text, atLeast, atMost, aim, value, low, high, holds, unit = '×' } of judged) {
    const measured = value === null ? '–' : `${value.toFixed(2)}${unit}`
    const rounds = value === null ? '' : `${low.toFixed(2)} … ${high.toFixed(2)}`
    rows.push([text, limit({ atLeast, atMost, aim, unit }), measured, rounds, verdict(value, holds)])
  }
  printTable(rows)
}

function limit({ atLeast, atMost, aim, unit }) {
  if (atLeast === undefined && atMost === undefined) return ''
  return `${atLeast === undefined ? '≤' : '≥'} ${atLeast ?? atMost}${unit}${aim ? ` (aim ${aim}${unit})` : ''}`
}

function verdict(value, holds) {
  if (value === null) return 'not measured'
  if (holds === null) return ''
  return holds ? 'yes' : 'NO'
}

/** One line a value: both medians, then the ratio of the speeds, above 1 when this checkout is the better one. */
export function printRatios(ratios, floor) {
  const rows = [['', 'base', 'this', 'ratio', 'min–max', '95 % interval', `below ${floor}`]]
  for (const { id, key, base, own, median: ratio, min, max, low, high, isShort } of ratios) {
    const { title = key, digits = 2 } = units[key] ?? {}
    const interval = low === null ? '–' : `${low.toFixed(2)} … ${high.toFixed(2)}`
    const sides = [base, own].map((values) => median(values).toFixed(digits))
    const range = `${min.toFixed(2)} … ${max.toFixed(2)}`
    rows.push([`${id}, ${title}`, ...sides, `${ratio.toFixed(2)}×`, range, interval, isShort ? 'YES' : ''])
  }
  printTable(rows)
}

function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  for (const row of rows) {
    console.log(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')}`,
    )
  }
  console.log()
}
