/** Words of a command line: split, quoted and masked as a shell reads them. */
import { WfError } from '../errors.ts'
import { isSecretText, mask, maskText } from './mask.ts'
import { attempt, preview } from './preview.ts'

/** Quotes a word if a shell would split or expand it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const piece =
  /(?<blanks>\s+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\]+)/uy

/** Splits a line and takes off quotes; no other shell syntax has a meaning. Throws WfError `usage` for a quote without its end. */
export function shellWords(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  const scanner = new RegExp(piece)
  let read = 0
  for (let found = scanner.exec(line); found?.groups; found = scanner.exec(line)) {
    const { blanks, single, double, escaped, plain } = found.groups
    read = scanner.lastIndex
    if (blanks === undefined) {
      word = `${word ?? ''}${single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? ''}`
    } else if (word !== null) {
      words.push(word)
      word = null
    }
  }
  if (read < line.length) {
    throw new WfError('usage', `${preview(line.slice(read), 60)} has a quote without its end`, {
      hint: 'close it, or put a backslash before it',
    })
  }
  return word === null ? words : [...words, word]
}

const rawWord = /(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\])+/g

/** Masks each word of a line, so that quotes stay whole and keys and fingerprints stay readable; a line with a quote without its end is masked as text. */
export function maskWords(line: string): string {
  return attempt(() => shellWords(line), null) === null ? maskText(line) : line.replace(rawWord, maskedWord)
}

/** Masks a wf command line word by word, any other text as a whole. */
export function maskCommand(line: string): string {
  return /^(?:operation \d+: )?wf(?: |$)/.test(line) ? maskWords(line) : maskText(line)
}

/** `--set customer.pin=4711`, `--where=variables["pin"]=4711` */
const setting = /^((?:--[\w-]+=)?((?:[^\s=:"'{[]|\[[^\]]*\])+))=(.+)$/su

function maskedWord(raw: string): string {
  const [word = ''] = shellWords(raw)
  const [, head = '', path = '', value = ''] = setting.exec(word) ?? []
  if (path.split(/[.[\]"']+/).some((name) => isSecretText(name, value))) return `${quoted(head)}='${mask}'`
  const shown = maskText(word)
  return shown === word ? raw : quoted(shown)
}
