// A small payment gateway for the demo, real HTTP on loopback, with the manners of a real one: it is slow, it is
// sometimes down, it sometimes takes the money and loses the answer, it declines cards, and it honours idempotency keys.
//
//   node examples/demo/gateway.mjs [--port 4010] [--slow 50-250]
//
//   POST /charges   201 charged · 200 the same charge again · 402 declined · 502 the card's bank is down · 503 down
//   GET  /ledger    every charge ever made, with the key it was made under
//   POST /down      an outage: what is under way is cut off, and whoever comes is turned away (503) …
//   POST /up        … until here
//   GET  /outage    when it was, and who came: the gateway's own count
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { createBooks } from './gateway-books.mjs'
import { createPower } from './gateway-power.mjs'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, slow: { type: 'string', default: '50-250' } },
})
const [fastestMs, slowestMs = fastestMs] = values.slow.split('-').map(Number)
const books = createBooks()
const power = createPower()

const views = {
  'GET /ledger': () => ({ charges: books.charges(), counts: books.counts }),
  'GET /counts': () => ({ ...books.counts, charges: books.charges().length }),
  'GET /outage': () => power.log,
  'POST /down': () => power.down(),
  'POST /up': () => power.up(),
}

const server = createServer(async (request, response) => {
  const reply = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const view = views[`${request.method} ${request.url}`]
  if (view) return reply(200, await view())
  if (request.method !== 'POST' || request.url !== '/charges') return reply(404, { code: 'NOT_FOUND' })

  const order = JSON.parse(await textOf(request))
  const key = request.headers['idempotency-key']
  if (!key) return reply(400, { code: 'NO_IDEMPOTENCY_KEY' })
  if (!power.letsIn(order.orderId)) return reply(503, { code: 'DOWN', message: 'out of order' })

  const hangUp = () => request.socket.destroy()
  const visit = books.arrival(order)
  const wasCut = await power.cutsOff(fastestMs + (slowestMs - fastestMs) * visit.luck.speed)
  if (!wasCut) return books.charge({ order, key, visit, reply, hangUp })
  // Whom an outage meets is charged or is not, and is not told which.
  power.log.cutOff += 1
  if (visit.luck.mood > 0.5 && books.take({ order, key })) power.log.cutOffCharged += 1
  return hangUp()
})

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
