import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Interfaces } from '@oclif/core'
import { describe, expect, it } from 'vitest'
import { refuseValues } from '../../src/cli/flags.ts'
import { RefusedValue } from '../../src/cli/errors.ts'
import { cli, manifestCommands, root } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

type Parse = (text: string, context: object, flag: object) => Promise<unknown>

interface KnownFlag {
  /** `jobs list --limit`. */
  name: string
  flag: string
  parse: Parse
}

/** Every flag with a value, of every command. */
async function flagsOfAllCommands(): Promise<readonly KnownFlag[]> {
  const folder = join(root, 'src/commands')
  const files = (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const found: KnownFlag[] = []
  for (const file of files) {
    const module: { default: { flags?: Record<string, Interfaces.Flag<unknown>> } } = await import(
      join(folder, file)
    )
    for (const [flag, definition] of Object.entries(module.default.flags ?? {})) {
      if (definition.type !== 'option') continue
      const parse: Parse = async (text, context) =>
        (definition.parse as unknown as Parse)(text, context, { ...definition, name: flag })
      found.push({
        name: `${file.replace(/\.ts$/, '').replaceAll('/', ' ')} --${flag}`,
        flag: `--${flag}`,
        parse,
      })
    }
  }
  return found
}

async function tried(
  parse: Parse,
  text: string,
): Promise<{ value: unknown } | { refusal: RefusedValue['refusal'] }> {
  try {
    return { value: await parse(text, {}, {}) }
  } catch (error) {
    if (error instanceof RefusedValue) return { refusal: error.refusal }
    throw error
  }
}

const takes = async (parse: Parse, text: string, expected: (value: unknown) => boolean) => {
  const answer = await tried(parse, text)
  return 'value' in answer && expected(answer.value)
}

const flags = await flagsOfAllCommands()
const kinds = await Promise.all(
  flags.map(async (known) => {
    const any = await takes(known.parse, 'x', () => true)
    const takesOne = async (texts: readonly string[], expected: (value: unknown, text: string) => boolean) =>
      (
        await Promise.all(texts.map((text) => takes(known.parse, text, (value) => expected(value, text))))
      ).some(Boolean)
    // Whatever its range is.
    if (await takesOne(['5', '50'], (value, text) => value === Number(text)))
      return { ...known, kind: 'integer' as const }
    if (
      !any &&
      (await takesOne(['5s', '5m'], (value, text) => value === text || value === 5_000 || value === 300_000))
    )
      return { ...known, kind: 'duration' as const }
    if (await takes(known.parse, '2030-01-31T09:00:00Z', (value) => typeof value === 'number'))
      return { ...known, kind: 'instant' as const }
    return { ...known, kind: 'other' as const }
  }),
)
const of = (kind: string) =>
  kinds.filter((known) => known.kind === kind).map(({ name, flag, parse }) => [name, flag, parse] as const)

const nowhereTaken = [
  '',
  ' ',
  'abc',
  '1.5',
  '1e3',
  '0x10',
  '007',
  '+5',
  '1_000',
  'Infinity',
  'NaN',
  String(2 ** 53 + 2),
  `1${'0'.repeat(30)}`,
  '5 ',
  '５',
]

describe('numbers', () => {
  it('are found in the commands that have them', () => {
    const names = of('integer').map(([name]) => name)
    for (const name of [
      'jobs list --limit',
      'jobs cancel --limit',
      'enqueue --priority',
      'enqueue --retries',
      'incidents resolve --retries',
      'run-worker --concurrency',
      'run-worker --max-jobs',
      'jobs update --retries',
      'jobs update --priority',
      'incidents resolve --canary',
      'dlq purge --limit',
      'dlq export --limit',
      'triage --limit',
      'audit list --limit',
      'tail --lines',
    ]) {
      expect(names).toContain(name)
    }
  })

  it.each(of('integer'))(
    // B137
    '%s takes plain digits in its range, and names itself, the value and the range otherwise',
    async (_name, flag, parse) => {
      for (const text of [...nowhereTaken, '5s', '1h30m']) {
        const answer = await tried(parse, text)
        expect([text, 'refusal' in answer ? answer.refusal.code : answer.value]).toEqual([text, 'usage'])
        if ('refusal' in answer) expect(answer.refusal.message).toContain(flag)
      }
      for (const text of ['-1', '0', '2147483648']) {
        const answer = await tried(parse, text)
        if ('value' in answer) expect(answer.value).toBe(Number(text))
        else expect(answer.refusal.message).toMatch(/from -?[\d,]+ to [\d,]+/)
      }
    },
  )
})

describe('durations and instants', () => {
  it('are found in the commands that have them', () => {
    const names = [...of('duration'), ...of('instant')].map(([name]) => name)
    const known = [
      'enqueue --delay',
      'enqueue --deadline',
      'enqueue --timeout',
      'enqueue --at',
      'run-worker --grace',
    ]
    const selecting = ['jobs list --since', 'incidents resolve --until', 'dlq discard --older-than']
    for (const name of [...known, ...selecting]) expect(names).toContain(name)
  })

  // B137
  it.each(of('duration'))(
    '%s takes whole numbers with a unit and nothing else',
    async (_name, flag, parse) => {
      for (const text of [
        ...nowhereTaken,
        '5',
        '-5m',
        '5S',
        '99999d',
        '-1',
        '0',
        '2147483648',
        '5s ',
        '１s',
      ]) {
        const answer = await tried(parse, text)
        expect([text, 'refusal' in answer ? answer.refusal.code : answer.value]).toEqual([text, 'usage'])
        if ('refusal' in answer) expect(answer.refusal.message).toContain(flag)
      }
      const compound = await tried(parse, '1h30m')
      if ('value' in compound) expect([5_400_000, '1h30m']).toContain(compound.value)
      else expect(compound.refusal.message).toMatch(/ from \S+ to \S+| at (most|least) /)
    },
  )

  // B137
  it.each(of('instant'))('%s takes ISO 8601 with a zone and nothing else', async (_name, flag, parse) => {
    for (const text of [...nowhereTaken, '5s', '2030-01-31', '2030-02-30T00:00:00Z']) {
      const answer = await tried(parse, text)
      expect('refusal' in answer && answer.refusal.message.includes(flag)).toBe(true)
    }
  })
})

const kindOfHelp: Readonly<Record<string, string>> = {
  ...{
    N: 'integer',
    'N|auto': 'integer',
    DURATION: 'duration',
    'DURATION|INSTANT': 'duration',
    INSTANT: 'instant',
    'N/s': 'rate',
  },
}

describe('flags that say what they take', () => {
  // B137
  it('are all walked here by it, whichever command has them', () => {
    const said = manifestCommands().flatMap(({ id, flags }) =>
      Object.entries(flags).flatMap(([name, { helpValue = '', hidden }]) => {
        const kind = kindOfHelp[helpValue]
        return kind === undefined || hidden ? [] : [`${id.replace(':', ' ')} --${name} ${kind}`]
      }),
    )
    const walked = new Set(
      kinds.map(({ name, flag, kind }) => `${name} ${flag === '--rate' ? 'rate' : kind}`),
    )
    expect(said.length).toBeGreaterThan(80)
    expect(said.filter((flag) => !walked.has(flag))).toEqual([])
  })

  it.each(kinds.filter(({ flag }) => flag === '--rate').map(({ name, parse }) => [name, parse] as const))(
    // B137
    '%s takes a count and a unit of time and nothing else',
    async (_name, parse) => {
      for (const text of [
        ...nowhereTaken,
        '5',
        '0/s',
        '-1/s',
        '5/S',
        '1e3/s',
        '5 /s',
        '5/',
        '/s',
        '１/s',
        '5/d',
      ]) {
        const answer = await tried(parse, text)
        expect([text, 'refusal' in answer ? answer.refusal.code : answer.value]).toEqual([text, 'usage'])
      }
      expect(await takes(parse, '90/m', (value) => value === 1.5)).toBe(true)
    },
  )
})

describe('a value that is refused', () => {
  // B137
  it('ends with exit 2 before anything is done', async () => {
    const cwd = temporaryDirectory()
    const lines = [
      ['enqueue', 'mail', '--priority', '1e3'],
      ['enqueue', 'mail', '--delay', '5'],
      ['enqueue', 'mail', '--retries', '0', '--json'],
      ['enqueue', 'mail', '--retries=', '--delay', '5s'],
      ['run-worker', './handler.ts', '--concurrency', '0'],
      ['jobs', 'list', '--limit', '-1'],
    ]
    const ends = await Promise.all(lines.map((args) => cli(args, { cwd })))
    expect(ends.map(({ code }) => code)).toEqual(lines.map(() => 2))
    expect(ends[0]?.err).toBe(
      'wf: --priority "1e3" is not a whole number from -1,000,000 to 1,000,000\n    try: --priority takes plain digits, such as 3\n',
    )
    expect(await cli(['jobs', 'list'], { cwd })).toMatchObject({ code: 3 })
  })
})

describe('flags without a value', () => {
  const switches = manifestCommands().flatMap(({ id, flags }) =>
    Object.entries(flags).flatMap(([name, { type }]) => (type === 'boolean' ? [{ id, name, flags }] : [])),
  )

  // B137
  it('take none, in any command: it would count as an argument, and name a job', () => {
    expect(switches.length).toBeGreaterThan(100)
    for (const { name, flags } of switches) {
      for (const value of ['', '1', 'false', 'no', '17']) {
        expect(() => refuseValues([`--${name}=${value}`], flags)).toThrow(
          expect.objectContaining({ code: 'usage' }),
        )
      }
      expect(() => refuseValues([`--${name}`, '17', '--limit=17', '--', `--${name}=17`], flags)).not.toThrow()
    }
  })

  // B137
  it('with one change nothing', async () => {
    const { location, add, store } = await seededStore()
    const key = await add()
    const ends = await Promise.all(
      [
        ['jobs', 'cancel', `--yes=${key}`],
        ['jobs', 'cancel', String(key), '--dry-run=false'],
        ['types', 'pause', 'mail', '--force=yes'],
      ].map((args) => cli(args, { store: location })),
    )
    expect(ends.map(({ code, out }) => [code, out])).toEqual(ends.map(() => [2, '']))
    expect(ends[0]?.err).toBe(
      `wf: --yes takes no value (got "--yes=${key}")\n    try: write --yes, or leave it out\n`,
    )
    expect(await store.counts()).toMatchObject({ available: 1 })
    expect((await store.types(store.now())).every(({ pausedAt }) => pausedAt === null)).toBe(true)
  })
})
