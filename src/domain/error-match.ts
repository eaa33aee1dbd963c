/** Errors by what they say: the words of `--error`, read, written and tried. */
import type { ErrorRecord } from './error-record.ts'
import { WfError } from '../errors.ts'
import { compilePattern } from '../text/pattern.ts'
import { preview } from '../text/preview.ts'
import type { ErrorMatch, Selector } from './selector.ts'
import { readText } from '../text/parse-input.ts'

/** Of an error's words so many characters are looked at; records that wf made are shorter. */
const longestLooked = 10_000

/** `text`, or `/pattern/` and `/pattern/i`. Text that begins with a slash has a backslash before it. Throws WfError `usage`. */
export function readErrorMatch(text: string, name: string): ErrorMatch {
  readText(text, name)
  if (!text.startsWith('/')) return { text: text.replace(/^\\(?=[/\\])/, '') }
  const end = text.lastIndexOf('/')
  const [pattern, flags] = [text.slice(1, end), text.slice(end + 1)]
  if (end === 0 || pattern === '' || (flags !== '' && flags !== 'i')) {
    throw new WfError(
      'usage',
      `${name} ${preview(text, 60)} is no pattern: it begins with a slash and does not end as /…/ or /…/i`,
      {
        hint: `text that begins with a slash takes a backslash first: ${name} '\\${text.slice(0, 40)}'`,
      },
    )
  }
  compilePattern(pattern, flags === 'i')
  return flags === 'i' ? { pattern, ignoreCase: true } : { pattern }
}

/** What `readErrorMatch` reads back as the same. */
export function errorMatchText(match: ErrorMatch): string {
  if ('text' in match) return match.text.replace(/^(?=\/|\\[/\\])/, '\\')
  return `/${match.pattern}/${match.ignoreCase ? 'i' : ''}`
}

type Said = Pick<ErrorRecord, 'name' | 'message' | 'code'>

/** Whether an error says what a selector wants of it. `^` and `$` are the ends of its message, its code, its name or all of them. */
export function errorTest({ error, codes }: Pick<Selector, 'error' | 'codes'>): (said: Said) => boolean {
  const says = error === undefined ? () => true : textTest(error)
  return (said) => (codes === undefined || (said.code !== null && codes.includes(said.code))) && says(said)
}

function textTest(match: ErrorMatch): (said: Said) => boolean {
  if ('text' in match) {
    const wanted = match.text.toLowerCase()
    return (said) => wordsOf(said).toLowerCase().includes(wanted)
  }
  const fits = compilePattern(match.pattern, match.ignoreCase)
  const parts = (said: Said) => [
    wordsOf(said),
    said.message.slice(0, longestLooked),
    said.name,
    said.code ?? said.name,
  ]
  // Without a place in the pattern, what fits a part fits the whole.
  return /[\^$]/.test(match.pattern) ? (said) => parts(said).some(fits) : (said) => fits(wordsOf(said))
}

function wordsOf({ code, name, message }: Said): string {
  return `${code === null ? '' : `${code} `}${name} ${message}`.slice(0, longestLooked)
}
