/**
 * Masks secrets in what wf shows or logs: by the names that they stand under and by their forms. It takes whole texts in
 * linear time; truncate afterwards, because half a secret has lost its form. Stored data never passes through here.
 */

export const mask = '***'

/** Forms of secrets, each behind a quick test for a sign that all its matches have. Every repetition is bounded or anchored. */
const forms: readonly (readonly [sign: RegExp, form: RegExp, shown: string])[] = [
  // A private key, also one whose end is missing.
  [
    /-----BEGIN /,
    /-----BEGIN ([A-Z0-9 ]{1,40})-----[\s\S]*?(?:-----END \1-----|$)/g,
    `-----BEGIN $1----- ${mask}`,
  ],
  // User info of a URL; with a slash in the password, which should have been encoded; or in a truncated text.
  [
    /[@…]/,
    /:\/\/(?:[^\s/?#"'<>]{0,500}(?=@)|[^\s/?#"'<>:@…]{1,200}:(?:(?!\d{1,5}[/?#])[^\s"'<>@]{1,300}(?=@)|(?!\d{1,5}…)[^\s/?#"'<>@…]{0,300}(?=…)))/g,
    `://${mask}`,
  ],
  // The signature of a signed URL gives access to what it points to.
  [/sig/i, /([?&](?:[\w-]{0,40}-)?sig(?:nature)?=)[^\s&#"'<>]{4,}/gi, `$1${mask}`],
  // A JSON web token.
  [/eyJ/, /\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?|\beyJ[\w-]{16,}/g, mask],
  // A header to the end of its line.
  [
    /authorization|cookie/i,
    /\b((?:proxy-)?authorization|(?:set-)?cookie)([ \t]{0,4}[:=][ \t]{0,4})(?![ \t"'\\[{])[^\r\n"']+/gi,
    `$1$2${mask}`,
  ],
  [/bearer/i, /\b(bearer)[ \t]{1,40}[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
  [/basic/i, /\b(basic)[ \t]{1,40}(?=[a-z+/]*[\d=])[\w+/]{8,}={0,2}/gi, `$1 ${mask}`],
  // Keys and tokens with the prefixes of well-known services.
  [
    /[sprk]_|gh|xox|AKIA|ASIA|glpat-/,
    /\b(?:[spr]k_(?:live|test)_|gh[pousr]_|github_pat_|xox[abeprs]-|AKIA|ASIA|glpat-)[\w-]{8,}/g,
    mask,
  ],
  [
    /whsec_|npm_|shp|sk-|AIza|ya29|SG\./,
    /\b(?:whsec_|npm_|shp[a-z]{2}_|sk-|AIza|ya29\.|SG\.)[\w-]{16,}[\w.-]{0,200}/g,
    mask,
  ],
]

/** Masks user info of URLs, JWT, PEM, bearer and basic credentials, well-known key prefixes, and values under secret names: `password=…`, `"cvv": 123`, `?token=…`, also in JSON inside a JSON string. */
export function maskText(text: string): string {
  let shown = text
  for (const [sign, form, replacement] of forms)
    if (sign.test(shown)) shown = shown.replace(form, replacement)
  return maskNamed(shown)
}

/** A name, a sign such as `=`, `:` or `=>`, and a value. Only masked values are skipped, so names inside of other values count too. */
function maskNamed(text: string): string {
  let shown = ''
  let at = 0
  for (let sign = 0; sign < text.length; sign++) {
    if (!isSign(text, sign)) continue
    const start = valueStart(text, sign)
    const name = secretNameBefore(text, sign)
    if (name === null) continue
    const end = valueEnd(text, start)
    const value = text.slice(start, end)
    if (!isSecretText(name, value)) continue
    const quote = /^\\*["'`]/.exec(value)?.[0] ?? ''
    shown += `${text.slice(at, start)}${quote}${mask}${quote}`
    at = end
    sign = end - 1
  }
  return at === 0 ? text : shown + text.slice(at)
}

const [colon, equals, greater, quotation, apostrophe, backtick, backslash] = [58, 61, 62, 34, 39, 96, 92]

function isSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === colon || code === equals
}

/** Behind `:`, `=`, `:=`, `=>`, `==` or `===` and a little white space. */
function valueStart(text: string, sign: number): number {
  let start = sign + 1
  while (start < sign + 3 && (text.charCodeAt(start) === equals || text.charCodeAt(start) === greater))
    start++
  const last = start + 4
  while (start < last && isSpace(text.charCodeAt(start))) start++
  return start
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13) || code === 160

/** The secret name that ends before the sign at `end`: a word in quotes (which may be escaped) or none, `api key` as well; null if there is none. */
function secretNameBefore(text: string, end: number): string | null {
  let at = end
  while (end - at < 4 && isSpace(text.charCodeAt(at - 1))) at--
  const code = text.charCodeAt(at - 1)
  if (code === quotation || code === apostrophe || code === backtick) {
    at--
    while (text.charCodeAt(at - 1) === backslash) at--
  }
  const start = wordStart(text, at)
  if (start === at) return null
  const word = text.slice(start, at)
  if (secrecyOf(word).ofText) return word
  if (text.charCodeAt(start - 1) !== 32 || !lastWords.test(word)) return null
  // Not every word before a colon is a part of a name: `token expired: …`.
  const phrase = text.slice(wordStart(text, start - 1), at)
  return secrecyOf(phrase).ofText ? phrase : null
}

const lastWords = /^(?:key|number|num|no|nr|code|id|phrase|word|card|pin)$/i
const longestName = 80

function wordStart(text: string, end: number): number {
  let start = end
  while (end - start < longestName && isNameCharacter(text.charCodeAt(start - 1))) start--
  return start
}

/** Letters of any script, digits, `_`, `-` and `$`. */
const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 36 ||
  code >= 128

/** Whether the text that stands under a name is a secret; flags, null and counts are none. */
export function isSecretText(name: string, value: string): boolean {
  if (!secrecyOf(name).ofText || /^(?:true|false|null|undefined|none)?$/.test(value)) return false
  return !/^-?\d+(?:\.\d+)?$/.test(value) || secrecyOf(name).ofNumbers
}

/** Quotes as a shell joins them too: `'it'\''s so'`. */
const quotedValue = /"[^"\\]*(?:\\.[^"\\]*)*"?|'[^'\\]*(?:\\.[^'\\]*)*'?(?:\\''[^']*'?)*|`[^`]*`?/sy
const escapedQuote = /\\+["'`]/y
const bareValue = /[^\s"'`,;&)}\]]*/y
const longestNested = 10_000

/** Where a value ends that begins at `start`: with its quote or bracket, else at a separator. */
function valueEnd(text: string, start: number): number {
  const quoted = matchAt(quotedValue, text, start)
  if (quoted !== null) return start + quoted.length
  const quote = matchAt(escapedQuote, text, start)
  if (quote !== null) return escapedEnd(text, start, quote)
  if ('{['.includes(text.charAt(start)) && start < text.length) return bracketEnd(text, start)
  return start + (matchAt(bareValue, text, start)?.length ?? 0)
}

function matchAt(form: RegExp, text: string, at: number): string | null {
  form.lastIndex = at
  return form.exec(text)?.[0] ?? null
}

/** The next quote like it with no further backslash before it. */
function escapedEnd(text: string, start: number, quote: string): number {
  let end = text.indexOf(quote, start + quote.length)
  while (end > 0 && text[end - 1] === '\\') end = text.indexOf(quote, end + 1)
  return end < 0 ? text.length : end + quote.length
}

function bracketEnd(text: string, start: number): number {
  const last = Math.min(text.length, start + longestNested)
  let depth = 0
  for (let index = start; index < last; index++) {
    if ('{['.includes(text.charAt(index))) depth++
    else if ('}]'.includes(text.charAt(index)) && --depth === 0) return index + 1
  }
  return last
}

/** Text that is masked already, or wf's own: `maskValue` leaves it as it is, and in JSON it is a string. */
export class Masked {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): string {
    return this.text
  }
}

const deepestMask = 1_000
const shortestSecret = 8

/** A copy of JSON data with secrets masked by member names at any depth, and by their forms in every string and name. */
export function maskValue(value: unknown): unknown {
  return maskedAt(value, 0)
}

function maskedAt(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Masked) return value.text
  if (depth >= deepestMask) return mask
  if (Array.isArray(value)) return value.map((item) => maskedAt(item, depth + 1))
  const copy: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const name = key.length < shortestSecret ? key : maskedName(key, copy)
    // Defined, not assigned: a member called __proto__ stays a member.
    Object.defineProperty(copy, name, {
      value: isSecretMember(key, member) ? mask : maskedAt(member, depth + 1),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return copy
}

/** A name can be a secret too, such as a URL. Two names that look alike when masked stay two. */
function maskedName(key: string, among: object): string {
  const name = maskText(key)
  if (name === key) return key
  let shown = name
  for (let count = 2; Object.hasOwn(among, shown); count++) shown = `${name} (${count})`
  return shown
}

function isSecretMember(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false
  const { ofText, ofNumbers } = secrecyOf(key)
  return typeof value === 'number' || typeof value === 'bigint' ? ofNumbers : ofText
}

/** Anywhere in a name. */
const within =
  /pass ?(?:wor[dt]|wd|phrase|code|key)|kennwort|\bpw[d]?\b|secret(?!ar)|(?:api|access|private|signing|encryption|ssh|master|license) ?key|\bcreds?\b|\bbearer\b|credential|authorization|cookie|token|jwt|(?:credit|debit) ?card ?(?:number|num|no|nr)/

/** At the end of a name: `customerIban`, `card_cvv`. */
const atEnd =
  /(?:^| )(?:otp(?: ?code)?|totp|(?:one ?time|verification|security|mfa|2fa) ?(?:code|pin)|pin(?: ?(?:code|number|no))?|cvv ?2?|cvc ?2?|cvn|ccv|csc|iban|ssn|social ?security(?: ?(?:number|no))?|(?:card|cc) ?(?:number|num|no|nr|pan)|(?:credit|debit) ?card|session ?(?:id|key)|sessid|php ?sess ?id|j ?session ?id|auth|pan|pass|session|sid)$/

/** A number under one of these is no secret of that kind: a count, a flag, a row's id. */
const neverNumber = /(?:sess.*|sid|auth|pass)$/

/** A number under such a name counts or measures a secret: `maxTokens`, `password_length`. */
const measure =
  /(?:s| (?:count|total|limit|length|len|size|age|at|in|ttl|expiry|expiration|version|max|min|id|index|attempt|day|hour|minute|second|ms))$/

interface Secrecy {
  ofText: boolean
  ofNumbers: boolean
}

const longestJudged = 200
/** Names repeat, and there are few of them. */
const known = new Map<string, Secrecy>()
const mostKnown = 2_000

/** Whether the value under that name is a secret: text and structures, or only numbers too (`pin: 1234`, but not `maxTokens: 5`). */
export function secrecyOf(name: string): Secrecy {
  const before = known.get(name)
  if (before) return before
  const words = wordsOf(name)
  const isEnd = atEnd.test(words)
  const isWithin = within.test(words)
  const secrecy = {
    ofText: isEnd || isWithin,
    ofNumbers: isEnd ? !neverNumber.test(words) : isWithin && !measure.test(words),
  }
  if (known.size >= mostKnown) known.clear()
  if (name.length <= longestJudged) known.set(name, secrecy)
  return secrecy
}

/** `cardNumber`, `CARD_NUMBER` and `Card-Number` are one name. */
function wordsOf(name: string): string {
  return name
    .slice(0, longestJudged)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{1,200})([A-Z][a-z])/g, '$1 $2')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
    .toLowerCase()
}
