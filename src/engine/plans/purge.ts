/** Deletes dead letters. The job of an open one is cancelled first, so that no job waits for a letter that is gone. */
import type { JobState } from '../../domain/job.ts'
import { keptBecause, type Purge } from '../../domain/retention.ts'
import type { Applied } from '../../domain/resolution.ts'
import { combined, planOf } from '../../store/plan.ts'
import { resolved, stoppedFacts, target } from './resolve.ts'
import { operationFact } from './targets.ts'

export const purgeLetter = planOf<Purge, Applied>({
  key: ({ jobKey }) => jobKey,
  facts: (letter) => combined([stoppedFacts(discard(letter)), operationFact(letter)]),
  plan(letter, facts, now) {
    const { jobKey, open, who, reason } = letter
    const found = facts.deadLetters.get(jobKey) ?? null
    const from = facts.jobs.get(jobKey)?.state ?? null
    const kept = keptBecause(jobKey, found, { open })
    const answered = (applied: Applied) => target(letter, applied, { image: null, facts, now })
    if (kept) {
      const answer = { jobKey, ...kept, from, to: from }
      return { answer, changes: answered(answer) }
    }
    const discarded = found?.closedAt === null && from !== null ? resolved(discard(letter), facts, now) : null
    const to = discarded ? stateAfter(discarded.applied) : from
    const answer: Applied = { jobKey, status: 'changed', from, to, why: '' }
    const event = { event: 'dead_letter_purged', jobKey, at: now, who, reason, detail: null } as const
    return {
      answer,
      changes: combined([
        discarded?.changes ?? {},
        { removedDeadLetters: [jobKey], history: from === null ? [] : [event] },
        answered(answer),
      ]),
    }
  },
})

const discard = ({ jobKey, who, reason }: Purge) => ({ jobKey, verb: 'discard' as const, who, reason })

/** An open letter can be discarded in every state of its job. Any other answer would leave a job without its letter. */
function stateAfter({ jobKey, status, to, why }: Applied): JobState | null {
  if (status === 'changed' || status === 'skipped') return to
  throw new Error(`job ${jobKey} could not be discarded: ${why}`)
}
