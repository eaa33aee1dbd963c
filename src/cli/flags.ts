/** Flags and arguments that commands share. Values are checked before a command does anything. */
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

/** Refuses a value for a flag that takes none; the framework would read it as an argument, so `--yes=17` would name job 17. Throws WfError `usage`. */
export function refuseValues(
  argv: readonly string[],
  flags: Readonly<Record<string, { type: string }>>,
): void {
  const end = argv.indexOf('--')
  for (const word of argv.slice(0, end < 0 ? argv.length : end)) {
    const [, name = ''] = /^--([^=]+)=/.exec(word) ?? []
    if (!Object.hasOwn(flags, name) || flags[name]?.type !== 'boolean') continue
    throw new WfError('usage', `--${name} takes no value (got ${preview(word, 80)})`, {
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

/** Takes several values, comma-separated or by repeating the flag. */
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

/** `ignoreStdin` keeps the framework from reading a missing argument from standard input. */
export const keyArg = () =>
  Args.custom<number>({ parse: async (text) => parseKey(text) })({
    description: 'key of the job',
    required: true,
    ignoreStdin: true,
  })

const operationNumber = Args.custom<number>({
  description: 'number of the operation (see wf audit list)',
  ignoreStdin: true,
  parse: async (text) => readInteger(text, 'the operation', { min: 1, max: Number.MAX_SAFE_INTEGER }),
})
export const operationArg = () => operationNumber({ required: true })
export const optionalOperationArg = () => operationNumber()

/** Keys as typed, `-` for those on standard input; `readKeys` reads them. */
export const keysArg = (description: string) =>
  Args.string({
    description: `${description}; - reads them from standard input`,
    multiple: true,
    ignoreStdin: true,
  })

export const retriesFlag = (summary: string) => integerFlag({ min: 1, max: limits.retries }, { summary })

/** For commands that show a job's data; `reveal.ts` records the use. */
export const revealFlags = {
  reveal: Flags.boolean({ summary: 'show secrets; each use is recorded (see wf audit list --verb reveal)' }),
  reason: Flags.custom<string>({
    ...{ summary: 'reason for showing secrets, for the record', helpValue: 'TEXT', dependsOn: ['reveal'] },
    parse: guarded((text, name) => readText(text, name)),
  })(),
}

/** @param printed what `--ids` prints, `the keys` by default */
export const listFlags = (printed = 'the keys') => ({
  limit: integerFlag(
    { min: 1, max: 100_000 },
    { summary: 'maximum number to show, 1 to 100,000 (default: 50)' },
  ),
  cursor: textFlag({ summary: 'start after the previous page (its page.next)', helpValue: 'CURSOR' }),
  ids: Flags.boolean({ summary: `print only ${printed}, one a line` }),
})
