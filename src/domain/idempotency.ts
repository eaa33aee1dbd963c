/** What a producer's idempotency key stands for: the same type and the same variables, whatever the order of their members. */
import { createHash } from 'node:crypto'

/** JSON text with the members of every object in order of their keys (UTF-16 code units). `value` is plain JSON data, at most `maxJsonDepth` deep. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`)
  return `{${members.join(',')}}`
}

/** 64 hex digits. `variables` is the JSON text that is stored. */
export function idempotencyHash(type: string, variables: string): string {
  const hash = createHash('sha256')
  hash
    .update(JSON.stringify(type))
    .update('\0')
    .update(canonicalJson(JSON.parse(variables)))
  return hash.digest('hex')
}
