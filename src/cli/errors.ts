/** Reports an error: what failed, why, what to try, and the exit code. Prints a stack only with DEBUG. */
import { didYouMean, nearWords } from '../text/suggest.ts'
import { WfError, type ErrorCode } from '../errors.ts'
import type { Masked } from '../text/mask.ts'
import { framedWords } from './oclif-messages.ts'
import { exitCodeOf, type ExitCode } from './exit-codes.ts'
import type { Output } from '../terminal/output.ts'
import { commandInJson, joined, safeLines, say, shownCommand } from '../terminal/safe.ts'

/** An error with more fields for scripts: `details` stand beside code, message and hint. */
export class DetailedError extends WfError {
  readonly details: Readonly<Record<string, unknown>>
  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; details: Readonly<Record<string, unknown>> },
  ) {
    super(code, message, options)
    this.details = options.details
  }
}

export interface ErrorDocument {
  code: ErrorCode
  message: string
  hint: Masked
  [detail: string]: unknown
}

export function errorDocument(error: WfError): ErrorDocument {
  return {
    code: error.code,
    message: error.message,
    hint: commandInJson(error.hint),
    ...(error instanceof DetailedError ? error.details : {}),
  }
}

export function reportError(thrown: unknown, output: Output, command: string): ExitCode {
  const error = toWfError(thrown, command)
  output.document({ error: errorDocument(error) })
  describeError(error, output)
  if (process.env['DEBUG'] && thrown instanceof Error)
    output.err.write(`${joined(safeLines(thrown.stack ?? thrown.message), '\n').text}\n`)
  return exitCodeOf(error.code)
}

/** Prints what failed, why and what to try, a line each. */
export function describeError(error: WfError, output: Output): void {
  const [what = say``, ...why] = safeLines(error.message)
  const { red, dim } = output.errPaint
  output.note(say`${red(say`wf:`)} ${what}`, ...why.map((line) => say`    ${line}`))
  if (error.cause instanceof Error && !error.message.includes(error.cause.message))
    output.note(say`    ${error.cause.message}`)
  if (error.hint) output.note(say`    ${dim(say`try:`)} ${shownCommand(error.hint)}`)
}

export function toWfError(thrown: unknown, command: string): WfError {
  if (thrown instanceof WfError) return thrown
  if (thrown instanceof RefusedValue) return thrown.refusal
  if (!(thrown instanceof Error))
    return new WfError('unexpected', `a non-Error value was thrown: ${String(thrown)}`)
  return (
    usageError(thrown, command) ??
    new WfError('unexpected', thrown.message || thrown.name, {
      hint: 'run it again with DEBUG=wf to see the stack',
      cause: thrown,
    })
  )
}

/** Errors of the framework about flags and arguments, known by their fields, because it doesn't export the classes. */
interface Complaint {
  oclif?: { exit?: number }
  flags?: unknown
  args?: unknown
  parse?: { input?: { flags?: object } }
}

function usageError(thrown: Error & Complaint, command: string): WfError | undefined {
  const help = `wf ${command} --help`.replace(/ +/g, ' ')
  if (Array.isArray(thrown.flags))
    return unknownFlag(thrown.flags.map(String), Object.keys(thrown.parse?.input?.flags ?? {}), help)
  if (Array.isArray(thrown.args)) return wrongArguments(thrown.args, help)
  if (thrown.oclif === undefined) return undefined
  return new WfError('usage', framedWords(thrown.message), { hint: help })
}

function unknownFlag(given: readonly string[], known: readonly string[], help: string): WfError {
  const flag = given[0] ?? ''
  const near = nearWords([flag.replace(/^-+/, '').replace(/=.*/s, '')], known).map((name) => `--${name}`)
  const more = given.length > 1 ? ` (and ${given.slice(1).join(', ')})` : ''
  return new WfError('usage', `unknown flag ${flag}${more}`, {
    hint: didYouMean(near, near.length > 0 ? `${help} lists them all` : `${help} lists all flags`),
  })
}

function wrongArguments(args: readonly unknown[], help: string): WfError {
  const names = args.map((each) =>
    typeof each === 'object' && each !== null && 'name' in each ? String(each.name).toUpperCase() : null,
  )
  if (names.includes(null))
    return new WfError('usage', `unexpected argument ${args.map((each) => `"${String(each)}"`).join(', ')}`, {
      hint: help,
    })
  return new WfError('usage', `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing`, {
    hint: help,
  })
}

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
