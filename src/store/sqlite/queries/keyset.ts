/** Orders of lists, and keyset cursors: the sorted value and the id of the last row of a page. */
import { WfError } from '../../../errors.ts'
import { sortOrders, type SelectorList } from '../../../domain/selector.ts'
import type { Condition, Value } from './where-clause.ts'
import { badCursor, type Page } from '../../page.ts'

export interface Order {
  /** Null: by id alone. */
  column: string | null
  descending: boolean
  /** Order of ids among equal values. */
  idDescending: boolean
}

export interface Entry {
  id: number
  /** Null if the order has no column. */
  value: Value
}

const jobs: Readonly<Record<(typeof sortOrders)['jobs'][number], Order>> = {
  newest: { column: null, descending: true, idDescending: true },
  oldest: { column: null, descending: false, idDescending: false },
  due: { column: 'j.run_at', descending: false, idDescending: false },
  priority: { column: 'j.priority', descending: true, idDescending: false },
  attempts: { column: 'j.attempt', descending: true, idDescending: true },
}
const incidents: Readonly<Record<(typeof sortOrders)['incidents'][number], Order>> = {
  newest: { column: null, descending: true, idDescending: true },
  oldest: { column: null, descending: false, idDescending: false },
  type: { column: 'i.type', descending: false, idDescending: true },
  attempts: { column: 'i.attempt', descending: true, idDescending: true },
}
const dlq: Readonly<Record<(typeof sortOrders)['dlq'][number], Order>> = {
  newest: { column: 'p.received_at', descending: true, idDescending: true },
  oldest: { column: 'p.received_at', descending: false, idDescending: false },
  type: { column: 'p.job_type', descending: false, idDescending: true },
  count: { column: 'p.count', descending: true, idDescending: true },
}
const orders: Readonly<Record<SelectorList, Readonly<Record<string, Order>>>> = { jobs, incidents, dlq }

export interface Seek {
  order: Order
  /** Matches the rows behind the cursor. */
  after: Condition
  /** ORDER BY. */
  by: string
  /** Returns the cursor of the next page. */
  cursor(last: Entry): string
}

/** `id` is the column of the id. Throws WfError `usage` for an unknown order or cursor. */
export function seek(
  list: SelectorList,
  { sort = sortOrders[list][0], cursor, reverse = false }: Omit<Page, 'limit'>,
  id: string,
): Seek {
  const found = Object.hasOwn(orders[list], sort) ? orders[list][sort] : undefined
  if (found === undefined) {
    throw new WfError('usage', `${JSON.stringify(sort.slice(0, 60))} is no order of this list`, {
      hint: `there are ${sortOrders[list].join(', ')}`,
    })
  }
  const order = reverse ? reversed(found) : found
  const after = cursor === undefined ? null : entryOf(cursor, { sort, order })
  const by = [
    ...(order.column === null ? [] : [`${order.column} ${direction(order.descending)}`]),
    `${id} ${direction(order.idDescending)}`,
  ]
  return {
    order,
    after: after === null ? { sql: 'TRUE', values: [] } : behind(order, after, id),
    by: by.join(', '),
    cursor: (last) => cursorOf(sort, order, last),
  }
}

/** A row has the same cursor in both directions. */
const reversed = ({ column, descending, idDescending }: Order): Order => ({
  column,
  descending: !descending,
  idDescending: !idDescending,
})

const direction = (descending: boolean) => (descending ? 'DESC' : 'ASC')

function behind(
  { column, descending, idDescending }: Order,
  { id, value }: Entry,
  idColumn: string,
): Condition {
  const [sign, idSign] = [descending ? '<' : '>', idDescending ? '<' : '>']
  if (column === null) return { sql: `${idColumn} ${idSign} ?`, values: [id] }
  // A row-value comparison can use an index.
  if (sign === idSign) return { sql: `(${column}, ${idColumn}) ${sign} (?, ?)`, values: [value, id] }
  return {
    sql: `${column} ${sign} ? OR (${column} = ? AND ${idColumn} ${idSign} ?)`,
    values: [value, value, id],
  }
}

/** The default order by id has cursors of the id alone. */
function cursorOf(sort: string, { column }: Order, { id, value }: Entry): string {
  if (column !== null) return `${sort}.${id}.${encodeURIComponent(JSON.stringify(value))}`
  return sort === 'newest' ? String(id) : `${sort}.${id}`
}

function entryOf(cursor: string, { sort, order }: { sort: string; order: Order }): Entry {
  const parts = cursor.split('.')
  const [own, number, json] = order.column === null && sort === 'newest' ? ['newest', ...parts] : parts
  const id = /^\d{1,16}$/.test(number ?? '') ? Number(number) : Number.NaN
  const value = order.column === null ? null : valueIn(json)
  if (
    own === sort &&
    Number.isSafeInteger(id) &&
    value !== undefined &&
    cursor === cursorOf(sort, order, { id, value })
  )
    return { id, value }
  throw badCursor(cursor)
}

function valueIn(json = ''): string | number | undefined {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(json))
    return typeof value === 'string' || typeof value === 'number' ? value : undefined
  } catch {
    return undefined
  }
}
