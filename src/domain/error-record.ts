export interface ErrorRecord {
  /** `Error`, `TypeError`, …; `string`, `null` … for what is no Error. */
  name: string
  message: string
  /** A machine's word for the cause: `error.code`, a business error's code. */
  code: string | null
  stack: string | null
  /** name and message of each cause, outermost first, at most 8. */
  causes: readonly { name: string; message: string; code: string | null }[]
  /** True when anything was cut to fit the bound. */
  truncated: boolean
}
