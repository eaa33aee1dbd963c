/** The list of all actions: what people and programs can change in a store. Front ends name and check them by it. */
import type { OperationVerb } from '../../domain/operation.ts'
import type { Input } from './input-schema.ts'

export interface Action {
  /** Topic of the command; empty for one without a topic. */
  noun: 'incidents' | 'jobs' | 'dlq' | 'types' | 'breakers' | 'idempotency' | 'workers' | ''
  /** As typed after the noun. */
  verb: string
  /** What a caller must be allowed to do. */
  scope: 'operate' | 'reveal'
  /** What its targets are. */
  on: 'jobs' | 'dead letters' | 'types' | 'breakers' | 'steps' | 'workers' | 'operations'
}

/** By the verb that operations record. */
export const actions: Readonly<Record<OperationVerb, Action>> = {
  resolve: { noun: 'incidents', verb: 'resolve', scope: 'operate', on: 'jobs' },
  retry: { noun: 'jobs', verb: 'retry', scope: 'operate', on: 'jobs' },
  dlq_retry: { noun: 'dlq', verb: 'retry', scope: 'operate', on: 'dead letters' },
  cancel: { noun: 'jobs', verb: 'cancel', scope: 'operate', on: 'jobs' },
  discard: { noun: 'dlq', verb: 'discard', scope: 'operate', on: 'dead letters' },
  purge: { noun: 'dlq', verb: 'purge', scope: 'operate', on: 'dead letters' },
  update: { noun: 'jobs', verb: 'update', scope: 'operate', on: 'jobs' },
  pause: { noun: 'types', verb: 'pause', scope: 'operate', on: 'types' },
  resume: { noun: 'types', verb: 'resume', scope: 'operate', on: 'types' },
  trip: { noun: 'breakers', verb: 'trip', scope: 'operate', on: 'breakers' },
  close: { noun: 'breakers', verb: 'close', scope: 'operate', on: 'breakers' },
  forget: { noun: 'idempotency', verb: 'forget', scope: 'operate', on: 'steps' },
  release: { noun: 'workers', verb: 'release', scope: 'operate', on: 'workers' },
  drain: { noun: 'workers', verb: 'drain', scope: 'operate', on: 'workers' },
  undo: { noun: '', verb: 'undo', scope: 'operate', on: 'operations' },
  reveal: { noun: '', verb: 'reveal', scope: 'reveal', on: 'jobs' },
}

/** The command that does it, without `wf`. */
export function commandOf(verb: OperationVerb): string {
  const { noun, verb: word } = actions[verb]
  return noun === '' ? word : `${noun} ${word}`
}

/** Returns the validated input. Throws a WfError `usage` that names the first member that is wrong. */
export async function checkInput<V extends OperationVerb>(verb: V, input: unknown): Promise<Input<V>> {
  return (await import('./input-schema.ts')).validInput(verb, input)
}
