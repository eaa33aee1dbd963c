/**
 * The one masking of what is shown or logged: secrets are hidden by the names that they stand under and by their forms.
 * Stored data never passes through here; only what leaves for people and their log shippers does.
 */
import { isCardNumber, replaceCardNumbers } from './card-number.ts'
import { areEntries, isNamedBeside, secretNamedIn, valuesNamedIn } from './named-values.ts'
import { secretName, secretNumberName, type NameStrength } from './secret-names.ts'

export const mask = '***'

interface SecretForms {
  /** Without it none of the forms is there. */
  sign: RegExp
  /** Tried in this order. Every repetition is bounded or anchored, so that no text makes them slow. */
  forms: readonly (readonly [RegExp, string])[]
}

const secretForms: readonly SecretForms[] = [
  {
    sign: /-----BEGIN /,
    forms: [
      [/-----BEGIN ([A-Z0-9 ]{1,40})-----[\s\S]*?(?:-----END \1-----|$)/g, `-----BEGIN $1----- ${mask}`],
    ],
  },
  {
    sign: /:\/\//,
    forms: [
      [/\b([a-z][a-z0-9+.-]{0,19}:\/\/)[^\s/?#"'<>]{0,500}@/gi, `$1${mask}@`],
      // A password with a slash, which should have been encoded.
      [
        /\b([a-z][a-z0-9+.-]{0,19}:\/\/)[^\s/?#"'<>:@]{1,200}:(?!\d{1,5}[/?#])[^\s"'<>@]{1,300}@/gi,
        `$1${mask}@`,
      ],
      // What is left of one in a text that was shortened.
      [
        /\b([a-z][a-z0-9+.-]{0,19}:\/\/)[^\s/?#"'<>:@…]{1,200}:(?!\d{1,5}…)[^\s/?#"'<>@…]{0,300}…/gi,
        `$1${mask}…`,
      ],
    ],
  },
  // Of an address that is signed: who has it has what it leads to.
  { sign: /sig/i, forms: [[/([?&](?:[\w-]{0,40}-)?sig(?:nature)?=)[^\s&#"'<>]{4,}/gi, `$1${mask}`]] },
  { sign: /eyJ/, forms: [[/\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?|\beyJ[\w-]{16,}/g, mask]] },
  {
    sign: /authorization|cookie|bearer|basic/i,
    forms: [
      [
        /\b((?:proxy-)?authorization|(?:set-)?cookie)([ \t]{0,4}[:=][ \t]{0,4})(?![ \t"'\\[{])[^\r\n"']+/gi,
        `$1$2${mask}`,
      ],
      [/\b(bearer)[ \t]+[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
      [/\b(basic)[ \t]+(?=[a-z+/]*[\d=])[\w+/]{8,}={0,2}/gi, `$1 ${mask}`],
    ],
  },
  {
    sign: /_|AKIA|ASIA|AIza|xox|glpat-|sk-|ya29|SG\./,
    forms: [
      [/\b(?:[spr]k_(?:live|test)_|gh[pousr]_|github_pat_|xox[abeprs]-|AKIA|ASIA|glpat-)[\w-]{8,}/g, mask],
      [/\b(?:whsec_|npm_|shp[a-z]{2}_|sk-|AIza|ya29\.|SG\.)[\w-]{16,}[\w.-]{0,200}/g, mask],
    ],
  },
]

/** Hides secrets by the forms in which they stand in text: user info of URLs, JWT, PEM, bearer and basic credentials, well-known key prefixes, card numbers, `password=…`, `"cvv": 123`, `<pin>…</pin>`. */
export function maskText(text: string): string {
  let shown = text
  for (const { sign, forms } of secretForms) {
    if (sign.test(shown)) for (const [form, replacement] of forms) shown = shown.replace(form, replacement)
  }
  return replaceCardNumbers(withoutFlags(withoutNamed(withoutNamedBeside(withoutElements(shown)))), mask)
}

/** `<password>…</password>` */
function withoutElements(text: string): string {
  if (!text.includes('</')) return text
  return text.replace(
    /<([\w:-]{1,80})(\s[^<>]{0,200})?>[^<>]{1,2000}(?=<\/)/g,
    (whole: string, name: string, more: string | undefined) =>
      secretName(name) === null ? whole : `<${name}${more ?? ''}>${mask}`,
  )
}

/** `--password hunter2` */
function withoutFlags(text: string): string {
  if (!text.includes('--')) return text
  return text.replace(
    /(?<![\w-])(--[\w-]{1,80})([ \t]{1,4})(?!-)("[^"]*"?|'[^']*'?(?:\\''[^']*'?)*|[^\s"']+)/g,
    (whole: string, name: string, space: string, value: string) =>
      secretName(name) === null || !hides(name, value) ? whole : `${name}${space}${mask}`,
  )
}

/** `password=…`, `"apiKey": "…"`, the same in JSON inside a string, `?token=…`. What no secret follows is passed over, so that names inside a value are seen too. */
function withoutNamed(text: string): string {
  let shown = ''
  let at = 0
  for (const { 0: sign, index } of text.matchAll(/(?:=>|:=|={1,3}|:)\s{0,4}/g)) {
    const found = index < at ? null : nameBefore(text, index)
    const strength = found && strengthOf(found)
    if (!found || !strength) continue
    const start = index + sign.length
    const end = valueEnd(text, start)
    const value = text.slice(start, end)
    const isSetting = found.quoted || sign.trim() !== ':' || /^\\*["'`]/.test(value)
    if (!hides(found.name, value) || (strength === 'weak' && !isSetting)) continue
    shown += text.slice(at, start) + masked(value)
    at = end
  }
  return at === 0 ? text : shown + text.slice(at)
}

/** In the quotes that it stood in. */
function masked(value: string): string {
  const quotes = /^\\*["'`]/.exec(value)?.[0] ?? ''
  return `${quotes}${mask}${quotes}`
}

/** `{"name":"apiKey","value":"…"}`, `[["Authorization","…"],…]` */
function withoutNamedBeside(text: string): string {
  let shown = ''
  let at = 0
  for (const { name, start, isLast } of valuesNamedIn(text)) {
    // Pairs in pairs in pairs would each be read to their end.
    const end =
      isLast && /[[{]/.test(text.charAt(start))
        ? start + bracketEnd(text.slice(start, start + longestInPair))
        : valueEnd(text, start)
    const value = text.slice(start, end)
    if (start < at || !hides(name, value) || (isLast && !/^\s{0,40}\]/.test(text.slice(end, end + 50))))
      continue
    shown += text.slice(at, start) + masked(value)
    at = end
  }
  return at === 0 ? text : shown + text.slice(at)
}

interface Name {
  name: string
  /** With the word in front of it, if there is one. */
  phrase: string | null
  quoted: boolean
}

/** The name that ends before the sign at `end`: a word, in quotes (which may be escaped) or not. */
function nameBefore(text: string, end: number): Name | null {
  let at = end
  while (at > 0 && end - at < 4 && /\s/.test(text.charAt(at - 1))) at--
  const quoted = at > 0 && '"\'`'.includes(text.charAt(at - 1))
  if (quoted) at--
  while (quoted && text.charAt(at - 1) === '\\') at--
  const start = wordStart(text, at)
  if (start === at) return null
  const first = text.charAt(start - 1) === ' ' ? wordStart(text, start - 1) : start
  return { name: text.slice(start, at), phrase: first < start ? text.slice(first, at) : null, quoted }
}

const longestName = 80

function wordStart(text: string, end: number): number {
  let start = end
  while (start > 0 && end - start < longestName && isNameCharacter(text.charCodeAt(start - 1))) start--
  return start
}

/** Letters of any script, digits, `_`, `-` and `$`. */
function isNameCharacter(code: number): boolean {
  if (code >= 128) return true
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 36
  )
}

/** `api key`, `card number` are names together, but not every word before a colon is a part of one (`token expired: …`). */
function strengthOf({ name, phrase }: Name): NameStrength {
  const strength = secretName(name)
  if (strength !== null || phrase === null) return strength
  return /^(?:key|number|num|no|nr|code|id|phrase|word|card|pin)$/i.test(name) &&
    secretName(phrase) === 'strong'
    ? 'strong'
    : null
}

function hides(name: string, value: string): boolean {
  if (/^(?:true|false|null|undefined|none)?$/.test(value)) return false
  return !/^-?\d+(?:\.\d+)?$/.test(value) || secretNumberName(name)
}

const longestNested = 10_000
const longestInPair = 500

/** Where a value ends that begins at `start`: with its quote or bracket, else at a separator. */
function valueEnd(text: string, start: number): number {
  const head = text.slice(start, start + longestNested)
  const quoted = /^(?:"[^"\\]*(?:\\.[^"\\]*)*"?|'[^'\\]*(?:\\.[^'\\]*)*'?(?:\\''[^']*'?)*|`[^`]*`?)/s.exec(
    text.slice(start),
  )
  if (quoted) return start + quoted[0].length
  const escaped = /^\\+["'`]/.exec(head)?.[0]
  if (escaped) return escapedEnd(text, start, escaped)
  if (/^[{[]/.test(head)) return start + bracketEnd(head)
  return start + (/^[^\s"'`,;&)}\]]+/.exec(text.slice(start))?.[0].length ?? 0)
}

/** The next one like it that no further backslash stands before. */
function escapedEnd(text: string, start: number, quote: string): number {
  let end = text.indexOf(quote, start + quote.length)
  while (end > 0 && text[end - 1] === '\\') end = text.indexOf(quote, end + 1)
  return end < 0 ? text.length : end + quote.length
}

function bracketEnd(text: string): number {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if ('{['.includes(text.charAt(index))) depth++
    else if ('}]'.includes(text.charAt(index)) && --depth === 0) return index + 1
  }
  return text.length
}

/** Text that is wf's own, or that was masked with more known of it: `maskValue` takes it as it stands. */
export class Unmasked {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): string {
    return this.text
  }
}

/** JSON data of a job, handler, producer or person inside a document of wf's own: its numbers can be secrets too. */
export class Foreign {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
  toJSON(): unknown {
    return this.value
  }
}

const deepestMask = 1_000

/** A copy of JSON data with secrets hidden by member names at any depth and by value forms in every string and number. */
export function maskValue(value: unknown): unknown {
  return maskedAt(value, { depth: 0, own: false })
}

/** The same of a document that wf made: its numbers are wf's own keys, counts and times, but for those of what is `Foreign` in it. */
export function maskDocument(document: unknown): unknown {
  return maskedAt(document, { depth: 0, own: true })
}

function maskedAt(value: unknown, { depth, own }: { depth: number; own: boolean }): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value === 'number' || typeof value === 'bigint')
    return !own && value >= 1e12 && isCardNumber(String(value)) ? mask : value
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Unmasked) return value.text
  if (depth >= deepestMask) return mask
  if (value instanceof Foreign) return maskedAt(value.value, { depth: depth + 1, own: false })
  const below = { depth: depth + 1, own }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    if (!areEntries(items)) return items.map((item) => maskedAt(item, below))
    return items.map(([name, member]) => [
      maskText(name),
      isSecret(name, member) ? mask : maskedAt(member, { depth: depth + 2, own }),
    ])
  }
  const copy: Record<string, unknown> = {}
  const named = secretNamedIn(value)
  for (const [key, member] of Object.entries(value)) {
    const hidden = isSecret(key, member) || (named !== null && isNamedBeside(key) && isSecret(named, member))
    const shown = hidden ? mask : maskedAt(member, below)
    const name = key.length < shortestSecret ? key : maskedName(key, copy)
    // Defined, not assigned: a member of that name stays a member.
    if (name === '__proto__')
      Object.defineProperty(copy, name, {
        value: shown,
        writable: true,
        enumerable: true,
        configurable: true,
      })
    else copy[name] = shown
  }
  return copy
}

const shortestSecret = 8

/** A name can be a secret too, as a URL is that something is counted for. Two that look alike then stay two. */
function maskedName(key: string, among: object): string {
  const name = maskText(key)
  if (name === key) return key
  let shown = name
  for (let count = 2; Object.hasOwn(among, shown); count++) shown = `${name} (${count})`
  return shown
}

function isSecret(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false
  return typeof value === 'number' || typeof value === 'bigint'
    ? secretNumberName(key)
    : secretName(key) !== null
}
