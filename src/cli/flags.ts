/** Flags as commands declare them. All are checked before a command does anything. */
import { Args, Flags } from '@oclif/core'
import { WfError } from '../domain/errors.ts'
import { limits } from '../domain/job.ts'
import type { VariableChange } from '../domain/resolution.ts'
import { parseKey } from '../domain/selector.ts'
import { RefusedValue } from './errors.ts'
import { readSet } from './set-values.ts'
import { readChoice, readDeadline, readDuration, readInstant, readInteger, readText, type Range } from './values.ts'

interface Described {
  summary: string
  helpValue?: string
}

/** The framework would rewrite the words of what a flag's parser throws. */
function guarded<T>(read: (text: string, name: string) => T): (text: string, context: unknown, flag: { name?: string }) => Promise<T> {
  return async (text, _context, flag) => {
    try {
      return read(text, `--${flag.name ?? ''}`)
    } catch (error) {
      throw error instanceof WfError ? new RefusedValue(error) : error
    }
  }
}

export const integerFlag = (range: Range, described: Described) =>
  Flags.custom<number>({ helpValue: 'N', ...described, parse: guarded((text, name) => readInteger(text, name, range)) })()

export const durationFlag = (described: Described, range?: Range) =>
  Flags.custom<number>({ helpValue: 'DURATION', ...described, parse: guarded((text, name) => readDuration(text, name, range)) })()

export const instantFlag = (described: Described) => Flags.custom<number>({ helpValue: 'INSTANT', ...described, parse: guarded(readInstant) })()

export const deadlineFlag = (described: Described) =>
  Flags.custom<number | string>({ helpValue: 'DURATION|INSTANT', ...described, parse: guarded(readDeadline) })()

export const textFlag = (described: Described, maxCharacters?: number) =>
  Flags.custom<string>({ ...described, parse: guarded((text, name) => readText(text, name, maxCharacters)) })()

/** Several, comma-separated or by repeating the flag. */
export const choicesFlag = <T extends string>(choices: readonly T[], described: Described) =>
  Flags.custom<T>({
    helpValue: choices.join('|'),
    ...described,
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    parse: guarded((text, name) => readChoice(text, name, choices)),
  })()

export const typesFlag = (summary: string) =>
  Flags.custom<string>({ summary, helpValue: 'TYPE,…', parse: guarded((text, name) => readText(text, name, limits.typeCharacters)) })({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
  })

/** The framework reads standard input for an argument that is not given unless told not to. */
export const keyArg = () =>
  Args.custom<number>({ parse: async (text) => parseKey(text) })({ description: 'key of the job', required: true, ignoreStdin: true })

/** Keys as typed; `-` stands for those on standard input. Read by `readKeys`. */
export const keysArg = (description: string) =>
  Args.string({ description: `${description}; - reads them from standard input`, multiple: true, ignoreStdin: true })

export const retriesFlag = (summary: string) => integerFlag({ min: 1, max: limits.retries }, { summary })

export const listFlags = {
  limit: integerFlag({ min: 1, max: 100_000 }, { summary: 'how many to show, 1 to 100,000 (50 unless told)' }),
  cursor: textFlag({ summary: 'start where the page before ended (its page.next)', helpValue: 'CURSOR' }),
  ids: Flags.boolean({ summary: 'print only the keys, one a line' }),
}

/** Of verbs that change something. */
export const changeFlags = {
  'dry-run': Flags.boolean({ summary: 'say what would be done, and do nothing' }),
  yes: Flags.boolean({ char: 'y', summary: 'do not ask' }),
  reason: textFlag({ summary: 'why, for the record', helpValue: 'TEXT' }),
}

/** Of verbs that run a job again. */
export const againFlags = {
  retries: retriesFlag('executions to give, 1 to 1,000; unless told what is left, else what it had at first'),
  set: Flags.custom<Omit<VariableChange, 'add'>>({
    summary: 'change a variable first; the value is JSON, else text',
    helpValue: 'PATH=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    parse: guarded(readSet),
  })(),
  add: Flags.boolean({ summary: '--set may create what is not there', dependsOn: ['set'] }),
}
