/** A command line as a shell takes it apart, and words that it takes whole. */
import { WfError } from '../errors.ts'
import { preview } from './preview.ts'

/** Quoted where a shell would take it apart. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const piece =
  /(?<blanks>\s+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\]+)/uy

/** Words with their quotes taken off; nothing else of a shell means anything here. Throws WfError `usage` for a quote without its end. */
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
