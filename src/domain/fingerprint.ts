/** One cause, one fingerprint: jobs that stopped for the same reason are found, counted and resolved together. */
import { createHash } from 'node:crypto'
import type { ErrorRecord } from './error-record.ts'

/** 16 hex digits of type + error code + message without its variable parts + the top frame of the user's own code. */
export function fingerprint(type: string, error: ErrorRecord): string {
  const parts = [type, error.code ?? error.name, normaliseMessage(error.message), topFrame(error.stack)]
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
}

/** What differs from job to job in the same message: ids, numbers, instants, quoted values, addresses. Order matters: the longest forms first. */
const variableParts: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  // A property that is read of nothing (V8: reading 'total') is a place in the code, not a value.
  [
    /(?<!\((?:reading|setting) )(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'|`[^`\n]{0,500}`|“[^”\n]{0,500}”)/g,
    '<text>',
  ],
  [/\b(?=[0-9a-f]*\d)(?:0x[0-9a-f]+|[0-9a-f]{8,})\b/gi, '<id>'],
  [/[a-z0-9._%+-]+@[a-z0-9.-]+/gi, '<text>'],
  [/\d+(?:[.,:_]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** Exported for the grouping views, which show it as the cause's name. */
export function normaliseMessage(message: string): string {
  const text = variableParts.reduce(
    (result, [pattern, word]) => result.replace(pattern, word),
    message.slice(0, 2_000),
  )
  return text.trim().slice(0, 500)
}

/** Function and file of the first frame that is neither Node's nor a dependency's; without line numbers, which move with every release. */
function topFrame(stack: string | null): string {
  const frames = (stack ?? '')
    .split('\n', 60)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
  const own = frames.find((frame) => !/node:|[\\/]node_modules[\\/]|<anonymous>/.test(frame)) ?? frames[0]
  return own === undefined
    ? ''
    : own.replace(/:\d+:\d+\)?$/, '').replace(/\(?(?:file:\/\/)?[^()\s]*[\\/]([^\\/]+)$/, '$1')
}
