/** The schema of the settings. Loaded only when there is something to validate. */
import * as z from 'zod/mini'
import { formatDuration } from '../text/duration.ts'
import { check, duration, type Range, type Refusal, size, strict, text, word } from '../text/schema.ts'
import { settings } from './settings.ts'

const time = ({ duration: range }: { duration: Range }) => z.optional(duration(range, { isRounded: true }))
const bytes = ({ size: range }: { size: Range }) => z.optional(size(range))
const oneOf = <const W extends readonly string[]>({ words }: { words: W }) => z.optional(word(words))

/** Null: kept for ever, which only `forever` asks for. */
function kept({ retention }: { retention: Range }) {
  const forever = z.pipe(
    z.literal('forever'),
    z.transform(() => null),
  )
  return z.optional(
    z.union([forever, duration(retention, { isRounded: true })], { error: 'a duration or forever' }),
  )
}

const group = z.optional(z.never({ error: 'a group: { … }' }))

const schema = strict({
  store: z.optional(text('a path or a URL')),
  durability: oneOf(settings.durability),
  lease: time(settings.lease),
  renewal: time(settings.renewal),
  sweep: time(settings.sweep),
  hang: time(settings.hang),
  load: time(settings.load),
  retention: group,
  'retention.finished': kept(settings['retention.finished']),
  'retention.deadLetters': kept(settings['retention.deadLetters']),
  'retention.idempotencyKeys': kept(settings['retention.idempotencyKeys']),
  'retention.stats': kept(settings['retention.stats']),
  limits: group,
  'limits.variables': bytes(settings['limits.variables']),
  'limits.result': bytes(settings['limits.result']),
  networkFileSystem: oneOf(settings.networkFileSystem),
}).check(
  z.check(({ value, issues }) => {
    const { lease = settings.lease.default, renewal = 0 } = value
    if (renewal < lease / 2) return
    const message = `below ${formatDuration(lease / 2)}, which is half of the lease of ${formatDuration(lease)}`
    issues.push({ code: 'custom', path: ['renewal'], message, input: value })
  }),
)

export type Settings = z.infer<typeof schema>

/** `given` has dotted names. */
export function checkSettings(given: object, refuse: (refusal: Refusal) => Error): Settings {
  return check(schema, given, refuse)
}
