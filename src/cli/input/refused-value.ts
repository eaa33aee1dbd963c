import type { WfError } from '../../errors.ts'

/**
 * A flag's value that is refused. The framework rewrites the message of what a flag's parser throws;
 * this carries the error past it.
 */
export class RefusedValue extends Error {
  readonly refusal: WfError
  constructor(refusal: WfError) {
    super(refusal.message)
    this.refusal = refusal
  }
}
