// A small payment gateway for the demo, real HTTP on loopback, with the manners of a real one: it is slow, it is
// sometimes down, it sometimes takes the money and loses the answer, it declines cards, and it honours idempotency keys.
//
//   node examples/demo/gateway.mjs [--port 4010] [--slow 50-250]
//
//   POST /charges   201 charged · 200 the same charge again · 402 declined · 502 the card's bank is down · 503 down
//   GET  /ledger    every charge ever made, with the key it was made under
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, slow: { type: 'string', default: '50-250' } } })
const [fastestMs, slowestMs = fastestMs] = values.slow.split('-').map(Number)

/** Charges by idempotency key: the truth about who paid, and how often. */
const ledger = new Map()
const requestsByOrder = new Map()
const counts = { requests: 0, declined: 0, unavailable: 0, answersLost: 0, repeats: 0 }

const server = createServer(async (request, response) => {
  const reply = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (request.method === 'GET' && request.url === '/ledger') return reply(200, { charges: [...ledger.values()], counts })
  if (request.method === 'GET' && request.url === '/counts') return reply(200, { ...counts, charges: ledger.size })
  if (request.method !== 'POST' || request.url !== '/charges') return reply(404, { code: 'NOT_FOUND' })

  const order = JSON.parse(await textOf(request))
  const key = request.headers['idempotency-key']
  if (!key) return reply(400, { code: 'NO_IDEMPOTENCY_KEY' })
  counts.requests += 1
  const tries = (requestsByOrder.get(order.orderId) ?? 0) + 1
  requestsByOrder.set(order.orderId, tries)

  const luck = luckOf(`${order.orderId} ${tries}`)
  await sleep(fastestMs + (slowestMs - fastestMs) * luck.speed)
  return charge({ order, key, tries, mood: luck.mood, reply, hangUp: () => request.socket.destroy() })
})

function charge({ order, key, tries, mood, reply, hangUp }) {
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
  if (tries <= 2 && mood < 0.04) {
    counts.unavailable += 1
    return reply(503, { code: 'TRY_LATER' })
  }
  if (order.card === 'tok_declined' || order.card === 'tok_stolen') {
    counts.declined += 1
    const stolen = order.card === 'tok_stolen'
    return reply(402, { code: stolen ? 'CARD_STOLEN' : 'CARD_DECLINED', message: stolen ? 'reported stolen' : 'insufficient funds' })
  }
  const chargeId = `ch_${String(ledger.size + 1).padStart(5, '0')}`
  ledger.set(key, { key, chargeId, orderId: order.orderId, amount: order.amount, currency: order.currency, requests: 1 })
  if (tries <= 2 && mood > 0.98) {
    counts.answersLost += 1
    return hangUp()
  }
  return reply(201, { chargeId })
}

/** Chance that repeats: the same order meets the same luck in every run. */
function luckOf(text) {
  const bytes = createHash('sha256').update(text).digest()
  return { speed: bytes.readUInt32BE(0) / 2 ** 32, mood: bytes.readUInt32BE(4) / 2 ** 32 }
}

async function textOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

server.listen(Number(values.port), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`
  process.stdout.write(`${url}\n`)
  process.send?.({ url })
})
// Started by another program, it ends with it.
process.on('disconnect', () => process.exit(0))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0))
