// Holds what wf promises about an outage against two witnesses that know nothing of each other: the gateway's own count of
// who came, and the store's history of the breaker. Every instant is epoch ms.
import { count, sparkline } from './print.mjs'

/** Until a trip in one process holds every other. */
const spreadMs = 1_000

/**
 * @param outage the gateway's own log
 * @param history of the breaker, oldest first
 * @param charges of the gateway's ledger
 * @param terms processes, failures and probes as the handler and the demo set them
 */
export function judgeOutage({ outage, history, charges, spent, held, terms }) {
  const opened = openings(history).map(({ at }) => at)
  const closedAt = history.find(({ event, at }) => event === 'breaker_closed' && at > (outage.upAt ?? 0))?.at ?? null
  if (opened.length === 0 || closedAt === null || outage.upAt === null) {
    return { promises: [{ kept: false, words: 'the breaker did not open and close again' }] }
  }
  const figures = { ...visits(outage, opened), openMs: closedAt - opened[0], held, spent, doubles: doublesAmong(charges) }
  return { figures, closedAt, promises: promisesOf(figures, { terms, ramp: rampOf(outage, closedAt), periods: opened.length }) }
}

const openings = (history) => history.filter(({ event }) => event === 'breaker_opened')

/** Who came while it was down: those who opened the breaker, and in each open period those who probed. */
function visits({ refused }, opened) {
  const bounds = [opened[0] + spreadMs, ...opened.slice(1), Number.POSITIVE_INFINITY]
  const perPeriod = opened.map((_, period) => refused.filter(({ at }) => at >= bounds[period] && at < bounds[period + 1]).length)
  const before = refused.filter(({ at }) => at < bounds[0]).length
  return { refused: refused.length, before, probes: refused.length - before, mostInPeriod: Math.max(...perPeriod) }
}

/** Orders that came in each of the first six seconds after the breaker had closed. */
function rampOf({ after }, closedAt) {
  const seconds = Array.from({ length: 6 }, () => new Set())
  for (const { at, orderId } of after) if (at > closedAt) seconds[Math.floor((at - closedAt) / 1_000)]?.add(orderId)
  return seconds.map(({ size }) => size)
}

function promisesOf({ refused, before, probes, mostInPeriod, openMs, held, spent, doubles }, { terms, ramp, periods }) {
  const { processes, failures, probes: allowed } = terms
  const first = ramp[0] ?? 0
  return [
    { kept: spent === 0, words: `${spent} retries spent by the outage` },
    { kept: doubles === 0, words: `${doubles} orders charged twice` },
    {
      kept: before <= processes * failures && mostInPeriod <= allowed,
      words: `${refused} calls while it was down: ${before} until all held, ${probes} probes, at most ${mostInPeriod} a period`,
    },
    { kept: held > 0, words: `${count(held)} jobs held while the breaker was open, for ${seconds(openMs)} in ${periods} open periods` },
    // One job a process in the first second. Beside them those whose start fell into the last moment before it.
    { kept: first <= 2 * processes, words: `back on a ramp, orders a second: ${sparkline(ramp)}  ${ramp.join(' ')}` },
  ]
}

function doublesAmong(charges) {
  return charges.length - new Set(charges.map(({ orderId }) => orderId)).size
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`
}
