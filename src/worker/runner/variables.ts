/** From a job's stored variables to what its handler is given. Total: whatever is stored ends as variables or as an outcome. */
import { errorRecord, ownErrorRecord } from '../../domain/error-record.ts'
import { parseVariables } from '../../text/json.ts'
import type { Outcome } from '../../domain/outcome.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { describeIssues, type SchemaResult } from '../handler/standard-schema.ts'
import { isThenable } from './thenable.ts'

export type Prepared = { ok: true; variables: unknown } | { ok: false; outcome: Outcome }

/** A promise only where the schema's own check gives one. */
export function prepareVariables(text: string, handler: LoadedHandler): Prepared | Promise<Prepared> {
  const parsed = parse(text)
  if (!parsed.ok) return parsed
  const given = handler.fetchVariables ? picked(parsed.variables, handler.fetchVariables) : parsed.variables
  return handler.schema ? checked(given, handler.schema) : { ok: true, variables: given }
}

type Parsed = { ok: true; variables: Record<string, unknown> } | { ok: false; outcome: Outcome }

function parse(text: string): Parsed {
  try {
    return { ok: true, variables: parseVariables(text) }
  } catch (error) {
    return { ok: false, outcome: poison('VARIABLES_UNREADABLE', errorRecord(error).message) }
  }
}

/** `Object.fromEntries` defines own members, so that a variable named `__proto__` stays data. */
function picked(variables: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]),
  )
}

function checked(
  variables: unknown,
  schema: NonNullable<LoadedHandler['schema']>,
): Prepared | Promise<Prepared> {
  try {
    const result = schema['~standard'].validate(variables)
    return isThenable(result) ? Promise.resolve(result).then(judged).catch(broken) : judged(result)
  } catch (error) {
    return broken(error)
  }
}

function judged(result: SchemaResult<unknown>): Prepared {
  if (result.issues)
    return {
      ok: false,
      outcome: poison('VARIABLES_INVALID', `the variables do not fit: ${describeIssues(result.issues)}`),
    }
  return { ok: true, variables: result.value }
}

/** A check that throws says nothing about the variables: it is a failure of the handler, and is tried again. */
function broken(thrown: unknown): Prepared {
  return { ok: false, outcome: { kind: 'fail', error: errorRecord(thrown), category: 'error' } }
}

function poison(code: string, message: string): Outcome {
  return { kind: 'poison', error: ownErrorRecord({ name: 'PoisonError', code, message }) }
}
