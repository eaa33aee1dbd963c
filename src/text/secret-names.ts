/** Names of members, headers, flags and settings whose value is a secret whatever it looks like. */

/** `cardNumber`, `CARD_NUMBER` and `Card-Number` are one name. */
function wordsOf(name: string): string {
  return name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{1,200})([A-Z][a-z])/g, '$1 $2')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** Anywhere in a name. */
const within =
  /pass ?(?:wor[dt]|wd|phrase|code|key)|kennwort|\bpw[d]?\b|secret(?!ar)|(?:api|access|private|signing|encryption|ssh|master|license) ?key|\bcreds?\b|\bbearer\b|credential|authorization|cookie|token|jwt|(?:credit|debit) ?card ?(?:number|num|no|nr)/

/** The end of a name: `customerIban`, `card_cvv`. */
const strongEnd =
  /(?:^| )(?:otp(?: ?code)?|totp|(?:one ?time|verification|security|mfa|2fa) ?(?:code|pin)|pin(?: ?(?:code|number|no))?|cvv ?2?|cvc ?2?|cvn|ccv|csc|iban|ssn|social ?security(?: ?(?:number|no))?|(?:card|cc) ?(?:number|num|no|nr|pan)|(?:credit|debit) ?card|session ?(?:id|key)|sessid|php ?sess ?id|j ?session ?id)$/

/** As `strongEnd`, but common words too: in running text they count only where they are clearly a setting. */
const weakEnd = /(?:^| )(?:auth|pan|pass|session|sid)$/

/** What is counted or measured about a secret: a number under such a name is not one. */
const measured =
  /(?:s| (?:count|total|limit|length|len|size|age|at|in|ttl|expiry|expiration|version|max|min|id|index|attempt|day|hour|minute|second|ms))$/

export type NameStrength = 'strong' | 'weak' | null

/** Names repeat; there are few of them. */
const known = new Map<string, { strength: NameStrength; ofNumbers: boolean }>()
const mostKnown = 2_000

/** Null: nothing says that the value is a secret. */
export function secretName(name: string): NameStrength {
  return judged(name).strength
}

/** Whether a number under that name is a secret: `pin: 1234` is, `maxTokens: 5` and `sessions: 3` are not. */
export function secretNumberName(name: string): boolean {
  return judged(name).ofNumbers
}

function judged(name: string) {
  const before = known.get(name)
  if (before) return before
  const words = wordsOf(name)
  const judgement = { strength: strengthOf(words), ofNumbers: isOfNumbers(words) }
  if (known.size >= mostKnown) known.clear()
  if (name.length <= 200) known.set(name, judgement)
  return judgement
}

function strengthOf(words: string): NameStrength {
  if (within.test(words) || strongEnd.test(words)) return 'strong'
  return weakEnd.test(words) ? 'weak' : null
}

function isOfNumbers(words: string): boolean {
  if (strongEnd.test(words)) return !/sess/.test(words)
  return (within.test(words) && !measured.test(words)) || /(?:^| )pan$/.test(words)
}
