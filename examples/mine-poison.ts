/**
 * Lesson 7: what the dead letters say when they are read together.
 *
 *   npx jiti examples/mine-poison.ts > report.md
 *
 * A hundred dead letters are rarely a hundred problems. This groups them by what went wrong, says which of their fields
 * they share, and writes what a person would paste into a ticket. It reads only.
 */
import { stdout } from 'node:process'
import { normaliseMessage, openClient } from 'wfkit'

interface Cause {
  type: string
  error: string
  keys: number[]
  first: number
  last: number
}

const wf = await openClient({ create: false })
const causes = new Map<string, Cause>()

// Pages, so that it makes no difference how many there are.
for (let cursor: string | undefined, more = true; more; ) {
  const { items, next } = await wf.deadLetters.deadLetters(
    {},
    { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
  )
  for (const { jobKey, type, errorCode, errorName, errorMessage, receivedAt } of items) {
    // Order 4711 and order 4712 fail for the same reason: what differs from job to job is taken out of the message.
    const error = `${errorCode ?? errorName ?? 'Error'}: ${normaliseMessage(errorMessage)}`
    const cause = causes.get(`${type} ${error}`) ?? {
      type,
      error,
      keys: [],
      first: receivedAt,
      last: receivedAt,
    }
    cause.keys.push(jobKey)
    causes.set(`${type} ${error}`, {
      ...cause,
      first: Math.min(cause.first, receivedAt),
      last: Math.max(cause.last, receivedAt),
    })
  }
  more = next !== null
  cursor = next ?? undefined
}

/** Top-level fields that have one value in all of a few members: often the producer that sends them. */
async function shared({ keys }: Cause): Promise<string[]> {
  const members = await Promise.all(keys.slice(0, 20).map((key) => wf.deadLetters.deadLetter(key)))
  const variables = members.flatMap((member) =>
    member === null ? [] : [JSON.parse(member.variables) as Record<string, unknown>],
  )
  const [first = {}, ...others] = variables
  const same = (name: string) =>
    others.every((other) => JSON.stringify(other[name]) === JSON.stringify(first[name]))
  return others.length === 0 ? [] : Object.keys(first).filter(same)
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)
const worstFirst = [...causes.values()].sort((a, b) => b.keys.length - a.keys.length)

stdout.write(
  `# Dead letters: ${worstFirst.reduce((sum, { keys }) => sum + keys.length, 0)} of ${worstFirst.length} causes\n`,
)
for (const cause of worstFirst) {
  const { type, error, keys, first, last } = cause
  const fields = await shared(cause)
  // Names only: what is in the fields may be somebody's secret, and a report travels.
  const common = fields.length === 0 ? '' : `- the same in all that were looked at: ${fields.join(', ')}\n`
  const some = keys.slice(0, 5).join(' ')
  stdout.write(
    `\n## ${keys.length} × ${type}\n\n\`${error}\`\n\n- ${day(first)} to ${day(last)}\n${common}- look: \`wf dlq show ${keys[0]}\`\n`,
  )
  stdout.write(`- when it is mended: \`wf dlq retry ${some}${keys.length > 5 ? ' …' : ''} --retries 3\`\n`)
}
await wf.close()
