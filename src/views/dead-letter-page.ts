/** One dead letter: the page of `dlq show`. Its job may be gone; the letter has all that was needed of it. */
import type { DeadLetter } from '../domain/dead-letter.ts'
import type { InspectedDetail } from '../engine/inspector.ts'
import { statusWords } from './closed-messages.ts'
import { closedLetter, deadLetterDocument, letterError } from './dead-letter-view.ts'
import { errorLines } from './error-view.ts'
import { readable } from './history-messages.ts'
import type { PageLook } from './job-page.ts'
import { jobDocument, statePainter, stateWords } from './job-view.ts'
import { iso } from '../terminal/json.ts'
import { doubtsOf, stepsOf } from './next-steps.ts'
import { say, type Safe } from '../terminal/safe.ts'
import { facts, indented, jsonLines, section, stepDocuments, stepLines, type Step } from './sections.ts'
import { counted, relative } from '../terminal/time.ts'

export interface LetterOfJob {
  letter: DeadLetter & { variables: string }
  detail: InspectedDetail | null
}

export function deadLetterPageDocument({ letter, detail }: LetterOfJob, suffix: string) {
  return {
    ...deadLetterDocument(letter),
    variables: readable(letter.variables),
    job: detail && jobDocument(detail.job),
    next: stepDocuments(steps(letter, detail, suffix)),
  }
}

export function deadLetterPage({ letter, detail }: LetterOfJob, look: PageLook): readonly Safe[] {
  const { paint, now } = look
  const job = detail?.job
  const moment = (at: number) => say`${relative(at, now)}  ${paint.dim(iso(at))}`
  return [
    say`${paint.bold(say`dead letter of job ${letter.jobKey}`)}  ${letter.type}  ${(letter.closedAt === null ? paint.red : paint.dim)(letter.reason)}`,
    ...facts(
      [
        ['status', statusWords(closedLetter(letter))],
        [
          'received',
          letter.count > 1
            ? say`${moment(letter.receivedAt)}, ${letter.count} times`
            : moment(letter.receivedAt),
        ],
        ['closed', letter.closedAt === null ? null : moment(letter.closedAt)],
        ['why', letter.closeReason],
        [
          'job',
          job
            ? say`${statePainter(job.state, paint)?.(stateWords(job)) ?? stateWords(job)}, ${counted(job.attempt, 'attempt')} started`
            : 'pruned',
        ],
      ],
      paint,
    ),
    ...section('error', indented(errorLines(letterError(letter), paint, look)), paint),
    ...section('variables', jsonLines(readable(letter.variables), look), paint),
    ...section('next', stepLines(steps(letter, detail, look.suffix), paint), paint),
  ]
}

/** A poison message has an incident as well; either verb closes both, and these are the ones of this page. */
function steps(letter: DeadLetter, detail: InspectedDetail | null, suffix: string): readonly Step[] {
  if (!detail) return []
  if (letter.closedAt !== null) return stepsOf({ ...detail, suffix })
  const mending = letter.reason === 'poison' ? ' --set PATH=VALUE' : ''
  return [
    ...doubtsOf({ ...detail, suffix }),
    {
      command: `wf dlq retry ${letter.jobKey}${mending}${suffix}`,
      why: mending ? 'it runs again; its variables cannot succeed as they are' : 'it runs again as it is',
    },
    { command: `wf dlq discard ${letter.jobKey}${suffix}`, why: 'it never runs again' },
  ]
}
