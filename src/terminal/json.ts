/** JSON for standard output: one document, secrets masked, and no character in it that a terminal would act on. */
import { cleanJson, revealedJson } from '../text/sanitize.ts'
import type { Revealing } from './safe.ts'

export function jsonText(value: unknown, { reveal = false }: Revealing = {}): string {
  return `${(reveal ? revealedJson : cleanJson)(value, 2)}\n`
}

/** One document of many, a line each. */
export function jsonLine(value: unknown, { reveal = false }: Revealing = {}): string {
  return `${(reveal ? revealedJson : cleanJson)(value)}\n`
}

/** Instants in JSON are ISO 8601 in UTC. */
export function iso(at: number): string
export function iso(at: number | null): string | null
export function iso(at: number | null): string | null {
  if (at === null) return null
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at)
}
