/** Flags as commands declare them. All are checked before a command does anything. */
import { withPatterns } from '../text/pattern.ts'
import { Args, Flags } from '@oclif/core'
import { WfError } from '../errors.ts'
import { limits } from '../domain/job.ts'
import { preview } from '../text/preview.ts'
import { parseKey } from '../domain/selector.ts'
import { RefusedValue } from './errors.ts'
import {
  readChoice,
  readDeadline,
  readDuration,
  readInstant,
  readInteger,
  readText,
  type Range,
} from '../text/parse-input.ts'

interface Described {
  summary: string
  helpValue?: string
}

/** Keeps the error of a flag's parser, whose message the framework would rewrite. */
export function guarded<T>(
  read: (text: string, name: string) => T,
): (text: string, context: unknown, flag: { name?: string }) => Promise<T> {
  return async (text, _context, flag) => {
    try {
      return await withPatterns(() => read(text, `--${flag.name ?? ''}`))
    } catch (error) {
      throw error instanceof WfError ? new RefusedValue(error) : error
    }
  }
}

/** The framework would take the value of a flag that has none for an argument: `--yes=17` would name job 17. Throws WfError `usage`. */
export function refuseValues(
  argv: readonly string[],
  flags: Readonly<Record<string, { type: string }>>,
): void {
  const end = argv.indexOf('--')
  for (const word of argv.slice(0, end < 0 ? argv.length : end)) {
    const [, name = ''] = /^--([^=]+)=/.exec(word) ?? []
    if (!Object.hasOwn(flags, name) || flags[name]?.type !== 'boolean') continue
    throw new WfError('usage', `--${name} takes no value, and ${preview(word, 80)} gives it one`, {
      hint: `write --${name}, or leave it out`,
    })
  }
}

export const integerFlag = (range: Range, described: Described) =>
  Flags.custom<number>({
    helpValue: 'N',
    ...described,
    parse: guarded((text, name) => readInteger(text, name, range)),
  })()

export const durationFlag = (described: Described, range?: Range) =>
  Flags.custom<number>({
    helpValue: 'DURATION',
    ...described,
    parse: guarded((text, name) => readDuration(text, name, range)),
  })()

export const requiredDurationFlag = (described: Described, range?: Range) =>
  Flags.custom<number>({
    helpValue: 'DURATION',
    ...described,
    parse: guarded((text, name) => readDuration(text, name, range)),
  })({ required: true })

export const instantFlag = (described: Described) =>
  Flags.custom<number>({ helpValue: 'INSTANT', ...described, parse: guarded(readInstant) })()

export const deadlineFlag = (described: Described) =>
  Flags.custom<number | string>({
    helpValue: 'DURATION|INSTANT',
    ...described,
    parse: guarded(readDeadline),
  })()

export const textFlag = (described: Described, maxCharacters?: number) =>
  Flags.custom<string>({
    ...described,
    parse: guarded((text, name) => readText(text, name, maxCharacters)),
  })()

/** Several, comma-separated or by repeating the flag. */
export const choicesFlag = <T extends string>(choices: readonly T[], described: Described) =>
  Flags.custom<T>({
    ...described,
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    parse: guarded((text, name) => readChoice(text, name, choices)),
  })()

export const typesFlag = (summary: string) =>
  Flags.custom<string>({
    summary,
    helpValue: 'TYPE',
    parse: guarded((text, name) => readText(text, name, limits.typeCharacters)),
  })({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
  })

/** The framework reads standard input for an argument that is not given unless told not to. */
export const keyArg = () =>
  Args.custom<number>({ parse: async (text) => parseKey(text) })({
    description: 'key of the job',
    required: true,
    ignoreStdin: true,
  })

/** The number of an operation, as changes tell it. */
const operationNumber = Args.custom<number>({
  description: 'number of the operation, as wf audit list shows it',
  ignoreStdin: true,
  parse: async (text) => readInteger(text, 'the operation', { min: 1, max: Number.MAX_SAFE_INTEGER }),
})
export const operationArg = () => operationNumber({ required: true })
export const optionalOperationArg = () => operationNumber()

/** Keys as typed; `-` stands for those on standard input. Read by `readKeys`. */
export const keysArg = (description: string) =>
  Args.string({
    description: `${description}; - reads them from standard input`,
    multiple: true,
    ignoreStdin: true,
  })

export const retriesFlag = (summary: string) => integerFlag({ min: 1, max: limits.retries }, { summary })

/** Of commands that show what a job carries. `reveal.ts` keeps the record. */
export const revealFlags = {
  reveal: Flags.boolean({ summary: 'show secrets too; who saw what is kept (wf audit list --verb reveal)' }),
  reason: Flags.custom<string>({
    ...{ summary: 'why the secrets are looked at, for the record', helpValue: 'TEXT', dependsOn: ['reveal'] },
    parse: guarded((text, name) => readText(text, name)),
  })(),
}

/** @param printed what `--ids` prints */
export const listFlags = (printed = 'the keys') => ({
  limit: integerFlag(
    { min: 1, max: 100_000 },
    { summary: 'how many to show, 1 to 100,000 (50 unless told)' },
  ),
  cursor: textFlag({ summary: 'start where the page before ended (its page.next)', helpValue: 'CURSOR' }),
  ids: Flags.boolean({ summary: `print only ${printed}, one a line` }),
})
