/** A dead letter as people and scripts see it. */
import type { DeadLetter } from '../domain/dead-letter.ts'
import type { ErrorRecord } from '../domain/error-record.ts'
import { statusWords, type Closed } from './closed-messages.ts'
import { errorLine } from './error-view.ts'
import { iso } from '../terminal/json.ts'
import type { Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'

export function deadLetterDocument(letter: DeadLetter) {
  return {
    key: letter.jobKey,
    type: letter.type,
    processInstanceKey: letter.processInstanceKey,
    reason: letter.reason,
    errorName: letter.errorName,
    errorCode: letter.errorCode,
    errorMessage: letter.errorMessage,
    receivedAt: iso(letter.receivedAt),
    count: letter.count,
    closedAt: iso(letter.closedAt),
    closedBy: letter.closedBy,
    resolution: letter.resolution,
    closeReason: letter.closeReason,
  }
}

/** @param closed closed ones stand among them */
export function deadLetterColumns(now: number, closed: boolean): readonly Column<DeadLetter>[] {
  return [
    { title: 'KEY', value: ({ jobKey }) => jobKey, align: 'right' },
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 14 },
    {
      title: 'KIND',
      value: ({ reason }) => reason,
      paint: ({ closedAt }, paint) => (closedAt === null ? paint.red : paint.dim),
    },
    { title: 'RECEIVED', value: ({ receivedAt }) => relative(receivedAt, now) },
    { title: 'TIMES', value: ({ count }) => count, align: 'right', optional: 1 },
    { title: 'ERROR', value: (letter) => errorLine(letterError(letter)), shrinkTo: 32 },
    { title: 'STATUS', value: (letter) => (closed ? statusWords(closedLetter(letter)) : ''), optional: 2 },
  ]
}

export function closedLetter({ closedAt, closedBy, resolution, closeReason }: DeadLetter): Closed {
  return { at: closedAt, by: closedBy, resolution, reason: closeReason }
}

/** As incidents show theirs; what the letter does not keep is left out. */
export function letterError({ errorName, errorCode, errorMessage }: DeadLetter): ErrorRecord {
  return {
    name: errorName ?? 'Error',
    code: errorCode,
    message: errorMessage,
    stack: null,
    causes: [],
    truncated: false,
  }
}
