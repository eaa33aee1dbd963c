// Makes examples/data/orders.jsonl, one order a line, the same file every time:
//   node examples/data/generate.mjs [count] > examples/data/orders.jsonl
//
// Among a few thousand good orders: cards that are declined (an expected end), stolen cards (an end that the handler
// does not expect), cards of a bank that is down for the day (retries run out), and orders that are malformed in the
// ways that orders are.
const count = Number(process.argv[2] ?? 3000)
const random = mulberry32(20260301)

const pick = (list) => list[Math.floor(random() * list.length)]

const names = [
  'Ada',
  'Bjørn',
  'Chloé',
  'Dmitri',
  'Eşref',
  'Fatima',
  'Grace',
  'Hüseyin',
  'Ines',
  '순자',
  'Kofi',
  'Łucja',
  'María',
  'N’Golo',
  '太郎',
  'Zoë',
]
const goods = [
  'green tea',
  'espresso',
  'cocoa',
  'cardamom',
  'honey',
  'oat biscuits',
  'a teapot',
  'two cups',
  'a hand mill',
  'filters',
]
const cards = ['tok_visa', 'tok_mastercard', 'tok_amex', 'tok_maestro']

const malformations = [
  ({ amount, ...order }) => order,
  (order) => ({ ...order, amount: String(order.amount) }),
  (order) => ({ ...order, amount: -order.amount }),
  (order) => ({ ...order, currency: 'EURO' }),
  ({ orderId, ...order }) => ({ order_id: orderId, ...order }),
  (order) => ({ ...order, card: order.card.replace('tok_', '') }),
]

for (let number = 1; number <= count; number++) {
  const kind = random()
  let order = {
    orderId: `o-${String(number).padStart(5, '0')}`,
    amount: Math.round((3 + random() ** 3 * 400) * 100) / 100,
    currency: pick(['EUR', 'EUR', 'EUR', 'GBP', 'USD']),
    card: pick(cards),
    customer: pick(names),
    note: random() < 0.3 ? `${pick(goods)} and ${pick(goods)}` : undefined,
  }
  if (kind < 0.04) order.card = 'tok_declined'
  else if (kind < 0.043) order.card = 'tok_stolen'
  else if (kind < 0.047) order.card = 'tok_bank_down'
  else if (kind < 0.062) order = pick(malformations)(order)
  process.stdout.write(`${JSON.stringify(order)}\n`)
}

/** Tommy Ettinger's mulberry32, public domain. */
function mulberry32(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
