/** The one error of a handler option that can't be used. */
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { pathText, type Refusal } from '../../text/schema.ts'

/** `within`: the keys that lead from the handler to what was checked. */
export function invalidOption(
  type: string,
  { path, problem, unknown, hint }: Refusal,
  within: readonly string[] = [],
): WfError {
  const place = pathText([...within, ...path])
  const option = unknown === null ? place : `${place === '' ? '' : `${place}.`}${preview(unknown, 60)}`
  return new WfError('invalid_handler', `handler ${preview(type)}: ${option} ${problem}`, {
    hint: hint ?? (place === 'run' ? 'write async run(job, ctx) { … }' : `correct ${place} in the handler`),
  })
}
