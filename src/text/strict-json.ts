/** JSON as somebody typed it, read without bending it. */
import { WfError } from '../errors.ts'
import { isJsonObject } from './json.ts'
import { preview } from './preview.ts'

/** Any JSON value. Throws SyntaxError for what is none, WfError for a whole number that JavaScript would round. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const bent = roundedNumber(text)
  if (bent !== null) {
    throw new WfError(
      'invalid_job',
      `the number ${preview(bent, 40)} is beyond what JavaScript can hold: it would become ${Number(bent)}`,
      {
        hint: 'write it as text, in quotes',
      },
    )
  }
  return value
}

/** A value as `--set` and `--where` take it: JSON where it reads as JSON, else the text itself. Throws as parseExactJson does. */
export function typedValue(text: string): { value: unknown; isBareText?: boolean } {
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return { value: text, isBareText: true }
    throw error
  }
}

/** What `typedValue` reads back as the same value. */
export function typedText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return value.trim() !== '' && readsAsText(value) ? value : JSON.stringify(value)
}

function readsAsText(text: string): boolean {
  try {
    return typedValue(text).isBareText === true
  } catch {
    return false
  }
}

/** Variables: one JSON object. */
export function parseObject(text: string, name: string): Record<string, unknown> {
  const value = attemptParse(text.replace(/^\ufeff/, ''), name)
  if (isJsonObject(value)) return value
  throw new WfError('invalid_job', `${subject(name)} ${preview(value, 60)}, not a JSON object`, {
    hint: 'variables are an object, such as {"orderId":"o-1"}',
  })
}

/** `the line is`, `the variables are`. */
const subject = (name: string) => `${name} ${name.endsWith('variables') ? 'are' : 'is'}`

function attemptParse(text: string, name: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof WfError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new WfError('invalid_job', `${subject(name)} not JSON: ${why.slice(0, 200)}`, {
      hint: `write an object such as {"orderId":"o-1"}; in a shell, put single quotes around it`,
    })
  }
}

const strings = /"(?:[^"\\]|\\.)*"/g
const longWholeNumbers = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/** The first whole number that is not what JSON.parse makes of it, nor what JSON.stringify would write for that; null when there is none. */
function roundedNumber(text: string): string | null {
  if (!/\d{16}/.test(text)) return null
  const numbers = text.replace(strings, '""').match(longWholeNumbers) ?? []
  return (
    numbers.find(
      (digits) => BigInt(digits) !== BigInt(Number(digits)) && digits !== String(Number(digits)),
    ) ?? null
  )
}
