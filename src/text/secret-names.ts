/** Names of members, headers, parameters and settings whose value is a secret whatever it looks like. */

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

const longestName = 200
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
  if (name.length <= longestName) known.set(name, secrecy)
  return secrecy
}

/** `cardNumber`, `CARD_NUMBER` and `Card-Number` are one name. */
function wordsOf(name: string): string {
  return name
    .slice(0, longestName)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{1,200})([A-Z][a-z])/g, '$1 $2')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
    .toLowerCase()
}
