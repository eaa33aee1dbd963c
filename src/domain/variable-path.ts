/**
 * Ways into variables, as `--set`, `--where` and `--idempotency-key-from` write them: `amount`, `customer.city`,
 * `items.0.price` or `items[0].price`; a key with a dot or a quote in it stands in brackets, `["a.b"].c`, or behind a backslash.
 */
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'

const tokens =
  /\["(?<json>(?:[^"\\]|\\[\s\S])*)"\]|\['(?<plain>[^']*)'\]|\[(?<index>\d{1,9})\]|\\(?<escaped>[.\\[\]=])|(?<other>[\s\S])/uy

interface Token {
  /** A whole key out of brackets. */
  key?: string
  /** A character that only stands for itself. */
  escaped?: string
  other?: string
  length: number
}

function* tokensOf(text: string): Generator<Token> {
  const scanner = new RegExp(tokens)
  for (let found = scanner.exec(text); found?.groups; found = scanner.exec(text)) {
    const { json, plain, index, escaped, other } = found.groups
    const key = json === undefined ? (plain ?? index) : keyIn(json, text)
    yield {
      ...(key === undefined ? {} : { key }),
      ...(escaped === undefined ? {} : { escaped }),
      ...(other === undefined ? {} : { other }),
      length: found[0].length,
    }
  }
}

function keyIn(json: string, path: string): string {
  try {
    return JSON.parse(`"${json}"`) as string
  } catch {
    throw notPath(path)
  }
}

/** The keys on the way. A leading `variables.` is left out by callers, not here. Throws WfError `invalid_job`. */
export function parsePath(path: string): string[] {
  const keys: string[] = []
  /** The key being read; null behind brackets, which are a whole key. */
  let open: string | null = ''
  const close = () => {
    if (open === '') throw notPath(path)
    if (open !== null) keys.push(open)
  }
  for (const { key, escaped, other } of tokensOf(path)) {
    if (key !== undefined) {
      if (open !== '' || keys.length > 0) close()
      keys.push(key)
      open = null
    } else if (other === '.') {
      close()
      open = ''
    } else {
      if (open === null) throw notPath(path)
      open += escaped ?? other ?? ''
    }
  }
  close()
  return keys
}

/** The same path for these keys, whatever they are; at least one. */
export function pathText(keys: readonly string[]): string {
  return keys.reduce((text, key) => {
    if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

/** `variables.` in front is the selector's way to write a path, and understood wherever a path into them is meant. */
export function withoutVariables(path: string): string {
  return path.replace(/^variables(?:\.(?=.)|(?=\[["'\d]))/su, '')
}

/** `path=value`, parted at the first equals sign that belongs to no key; null when there is none or nothing before it. */
export function splitAssignment(text: string): { path: string; value: string } | null {
  let at = 0
  for (const { other, length } of tokensOf(text)) {
    if (other === '=') return at === 0 ? null : { path: text.slice(0, at), value: text.slice(at + 1) }
    at += length
  }
  return null
}

function notPath(path: string): WfError {
  return new WfError('invalid_job', `${preview(path, 80)} is not a path`, {
    hint: 'write it as amount, customer.city, items.0.price or ["a.b"].c',
  })
}
