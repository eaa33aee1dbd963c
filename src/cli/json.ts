/** JSON for standard output: one document, secrets masked, and no character in it that a terminal would act on. */
import { maskValue } from '../domain/text.ts'

/** C1 controls, DEL, line separators and what turns the direction of writing; JSON.stringify escapes only C0. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

export function jsonText(value: unknown): string {
  return `${harmlessJson(JSON.stringify(maskValue(value), null, 2))}\n`
}

/** The same JSON, with escapes for what a terminal would act on or not show. */
export function harmlessJson(json: string): string {
  return json.replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Instants in JSON are ISO 8601 in UTC. */
export function iso(at: number): string
export function iso(at: number | null): string | null
export function iso(at: number | null): string | null {
  if (at === null) return null
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at)
}
