// Holds what wf promises about an outage against two witnesses that know nothing of each other: the gateway's own count of
// who came, and the store's history of the breaker. Every instant is epoch ms.
import { count, sparkline } from './print.mjs'

/**
 * @param outage the gateway's own log
 * @param history of the breaker, oldest first
 * @param charges of the gateway's ledger
 * @param terms processes, failures, probes, and calls at once in each process, as the handler and the demo set them
 */
export function judgeOutage({ outage, history, charges, spent, held, terms }) {
  const opened = openings(history).map(({ at }) => at)
  const closedAt =
    history.find(({ event, at }) => event === 'breaker_closed' && at > (outage.upAt ?? 0))?.at ?? null
  if (opened.length === 0 || closedAt === null || outage.upAt === null) {
    return { promises: [{ kept: false, words: 'the breaker did not open and close again' }] }
  }
  const figures = {
    ...visits(outage, opened, terms),
    openMs: closedAt - opened[0],
    held,
    spent,
    doubles: doublesAmong(charges),
  }
  return {
    figures,
    closedAt,
    promises: promisesOf(figures, { terms, ramp: rampOf(outage, closedAt), periods: opened.length }),
  }
}

const openings = (history) => history.filter(({ event }) => event === 'breaker_opened')

/**
 * Who came while it was down. The first are those who opened the breaker, and whoever was on the way then; the probes of an
 * open period come before the opening that they bring about.
 */
function visits({ refused }, opened, { probes }) {
  const ends = [...opened.slice(1), Number.POSITIVE_INFINITY]
  const perPeriod = ends.map(
    (end, period) => refused.filter(({ at }) => at < end && at >= (ends[period - 1] ?? 0)).length,
  )
  const [first, ...later] = perPeriod
  const before = opened.length > 1 ? Math.max(0, first - probes) : first
  return {
    refused: refused.length,
    before,
    probed: refused.length - before,
    mostInPeriod: Math.max(first - before, ...later),
  }
}

/** Orders that came in each of the first six seconds after the breaker had closed. */
function rampOf({ after }, closedAt) {
  const seconds = Array.from({ length: 6 }, () => new Set())
  for (const { at, orderId } of after)
    if (at > closedAt) seconds[Math.floor((at - closedAt) / 1_000)]?.add(orderId)
  return seconds.map(({ size }) => size)
}

function promisesOf(
  { refused, before, probed, mostInPeriod, openMs, held, spent, doubles },
  { terms, ramp, periods },
) {
  const { processes, failures, atOnce, probes } = terms
  const first = ramp[0] ?? 0
  return [
    { kept: spent === 0, words: `${spent} retries spent by the outage` },
    { kept: doubles === 0, words: `${doubles} orders charged twice` },
    {
      // The last failure that a process counts may find as many calls under way as it makes at once; they cannot be called back.
      kept: before <= processes * (failures - 1 + atOnce) && mostInPeriod <= probes,
      words: `${refused} calls while it was down: ${before} before all knew, ${probed} probes, at most ${mostInPeriod} a period`,
    },
    {
      kept: held > 0,
      words: `${count(held)} jobs held while the breaker was open, for ${seconds(openMs)} in ${periods} open periods`,
    },
    // One job a process in the first second. Beside them those whose start fell into the last moment before it.
    {
      kept: first <= 2 * processes,
      words: `back on a ramp, orders a second: ${sparkline(ramp)}  ${ramp.join(' ')}`,
    },
  ]
}

function doublesAmong(charges) {
  return charges.length - new Set(charges.map(({ orderId }) => orderId)).size
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`
}
