/** A short, bounded picture of any value for an error message. Never throws, whatever getters and proxies do. */

const deepest = 2
const mostEntries = 8
const longestText = 120

export function preview(value: unknown, maxCharacters = 200): string {
  const text = draw(value, 0)
  return text.length <= maxCharacters
    ? text
    : `${text.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function draw(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length <= longestText ? value : `${value.slice(0, longestText)}…`)
    case 'bigint':
      // A huge BigInt takes seconds to print.
      return value > -(2n ** 256n) && value < 2n ** 256n ? `${value}n` : 'a huge BigInt'
    case 'function':
      return attempt(
        () =>
          (/^class\b/.test(Function.prototype.toString.call(value))
            ? `class ${value.name}`
            : `function ${value.name}`
          ).trim(),
        'a function',
      )
    case 'object':
      return value === null ? 'null' : attempt(() => drawObject(value, depth), 'an unreadable object')
    default:
      return String(value)
  }
}

function drawObject(value: object, depth: number): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (value instanceof Promise) return 'a Promise'
  if (depth >= deepest) return Array.isArray(value) ? '[…]' : '{…}'
  if (Array.isArray(value)) return `[${list(value, (item) => draw(item, depth + 1))}]`
  const entries = list(
    Object.keys(value),
    (key) => `${JSON.stringify(key.slice(0, longestText))}: ${draw(member(value, key), depth + 1)}`,
  )
  const name = className(value)
  return name === 'Object' ? `{${entries}}` : `${name} {${entries}}`
}

function list<T>(items: readonly T[], show: (item: T) => string): string {
  const shown = items.slice(0, mostEntries).map(show)
  return (items.length > mostEntries ? [...shown, '…'] : shown).join(', ')
}

function member(value: object, key: string): unknown {
  return attempt(() => (value as Record<string, unknown>)[key], '(unreadable)')
}

/** The name of a value's class; `Object` for plain objects and for what has none. */
export function className(value: object): string {
  return attempt(() => {
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
    return typeof name === 'string' && name !== '' ? name.slice(0, longestText) : 'Object'
  }, 'Object')
}

/** What `read` gives, or `otherwise` when reading throws. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
