// The gateway's outage, and its own record of who came meanwhile and after it.
import { setMaxListeners } from 'node:events'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'

export function createPower() {
  /** Instants are epoch ms. `refused`: came while it was down. `after`: came since it is back, the first 2,000. */
  const log = { downAt: null, upAt: null, cutOff: 0, cutOffCharged: 0, refused: [], after: [] }
  const isDown = () => log.downAt !== null && log.upAt === null
  let failing = fresh()

  return {
    log,
    async down() {
      if (!isDown()) Object.assign(log, { downAt: Date.now(), upAt: null })
      failing.abort()
      failing = fresh()
      // Whom it cut off has been counted then.
      await immediate()
      return log
    },
    up() {
      if (isDown()) log.upAt = Date.now()
      return log
    },
    letsIn(orderId) {
      if (isDown()) log.refused.push({ at: Date.now(), orderId })
      else if (log.upAt !== null && log.after.length < 2_000) log.after.push({ at: Date.now(), orderId })
      return !isDown()
    },
    /** True: it went down before `ms` were over. */
    cutsOff: (ms) =>
      sleep(ms, false, { signal: failing.signal }).then(
        () => false,
        () => true,
      ),
  }
}

function fresh() {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
