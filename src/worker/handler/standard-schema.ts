/** The part of Standard Schema v1 (standardschema.dev) that wf uses. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** True for a value with a usable `~standard`, of any library. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard = (value as { '~standard'?: unknown })['~standard']
  if (typeof standard !== 'object' || standard === null) return false
  const { version, validate } = standard as { version?: unknown; validate?: unknown }
  return version === 1 && typeof validate === 'function'
}

const mostIssues = 5

/** Returns `amount: expected a number; customer.email: required`: at most five issues, and the number of the others. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, mostIssues).map(describeIssue)
  const more = issues.length - shown.length
  return more > 0 ? `${shown.join('; ')}; and ${more} more` : shown.join('; ')
}

function describeIssue(issue: SchemaIssue): string {
  const path = (issue.path ?? [])
    .map((part) => String(typeof part === 'object' && part !== null ? part.key : part))
    .join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}
