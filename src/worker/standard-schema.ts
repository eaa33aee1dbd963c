/** The part of Standard Schema v1 (standardschema.dev) that wf uses; any validator that follows it fits. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
