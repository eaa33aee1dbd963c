/** A dead letter as people and scripts see it. */
import type { DeadLetter } from '../domain/dead-letter.ts'
import { iso } from './json.ts'
import type { Column } from './table.ts'
import { relative } from './time.ts'

export function deadLetterDocument(letter: DeadLetter) {
  return {
    key: letter.jobKey,
    type: letter.type,
    processInstanceKey: letter.processInstanceKey,
    reason: letter.reason,
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
    { title: 'REASON', value: ({ reason }) => reason, paint: ({ closedAt }, paint) => (closedAt === null ? paint.red : paint.dim) },
    { title: 'RECEIVED', value: ({ receivedAt }) => relative(receivedAt, now) },
    { title: 'TIMES', value: ({ count }) => count, align: 'right', optional: 1 },
    { title: 'ERROR', value: ({ errorCode, errorMessage }) => (errorCode === null ? errorMessage : `${errorCode}: ${errorMessage}`), shrinkTo: 32 },
    { title: 'STATUS', value: (letter) => (closed ? letterStatus(letter) : ''), optional: 2 },
  ]
}

export function letterStatus({ closedAt, resolution, closedBy }: DeadLetter): string {
  return closedAt === null ? 'open' : `${resolution ?? 'closed'} by ${closedBy ?? '?'}`
}
