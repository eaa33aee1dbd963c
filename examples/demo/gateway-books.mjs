// The gateway's ledger, and how it treats whom: by chance, but the same chance in every run.
import { createHash } from 'node:crypto'

export function createBooks() {
  /** Charges by idempotency key: the truth about who paid, and how often. */
  const ledger = new Map()
  const visitsByOrder = new Map()
  const counts = { requests: 0, declined: 0, unavailable: 0, answersLost: 0, repeats: 0 }

  /** The charge, made now or before; null for a card that cannot be charged. */
  function take({ order, key }) {
    if (!ledger.has(key) && isGood(order.card)) {
      const chargeId = `ch_${String(ledger.size + 1).padStart(5, '0')}`
      ledger.set(key, {
        key,
        chargeId,
        orderId: order.orderId,
        amount: order.amount,
        currency: order.currency,
        requests: 1,
      })
    }
    return ledger.get(key) ?? null
  }

  return {
    counts,
    take,
    charges: () => [...ledger.values()],

    arrival({ orderId }) {
      counts.requests += 1
      const tries = (visitsByOrder.get(orderId) ?? 0) + 1
      visitsByOrder.set(orderId, tries)
      return { tries, luck: luckOf(`${orderId} ${tries}`) }
    },

    charge({ order, key, visit: { tries, luck }, reply, hangUp }) {
      const before = ledger.get(key)
      if (before) {
        counts.repeats += 1
        before.requests += 1
        return reply(200, { chargeId: before.chargeId })
      }
      if (order.card === 'tok_bank_down') {
        counts.unavailable += 1
        return reply(502, { code: 'BANK_DOWN', message: "the card's bank does not answer" })
      }
      if (tries <= 2 && luck.mood < 0.04) {
        counts.unavailable += 1
        return reply(503, { code: 'TRY_LATER' })
      }
      if (!isGood(order.card)) {
        counts.declined += 1
        const stolen = order.card === 'tok_stolen'
        return reply(402, {
          code: stolen ? 'CARD_STOLEN' : 'CARD_DECLINED',
          message: stolen ? 'reported stolen' : 'insufficient funds',
        })
      }
      const { chargeId } = take({ order, key })
      if (tries <= 2 && luck.mood > 0.98) {
        counts.answersLost += 1
        return hangUp()
      }
      return reply(201, { chargeId })
    },
  }
}

const bad = new Set(['tok_bank_down', 'tok_declined', 'tok_stolen'])
const isGood = (card) => !bad.has(card)

/** Chance that repeats: the same order meets the same luck in every run. */
function luckOf(text) {
  const bytes = createHash('sha256').update(text).digest()
  return { speed: bytes.readUInt32BE(0) / 2 ** 32, mood: bytes.readUInt32BE(4) / 2 ** 32 }
}
