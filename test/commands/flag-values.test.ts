import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Interfaces } from '@oclif/core'
import { describe, expect, it } from 'vitest'
import { RefusedValue } from '../../src/cli/refused-value.ts'
import { cli, root } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'

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
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts')).sort()
  const found: KnownFlag[] = []
  for (const file of files) {
    const module: { default: { flags?: Record<string, Interfaces.Flag<unknown>> } } = await import(join(folder, file))
    for (const [flag, definition] of Object.entries(module.default.flags ?? {})) {
      if (definition.type !== 'option') continue
      const parse: Parse = async (text, context) => (definition.parse as unknown as Parse)(text, context, { ...definition, name: flag })
      found.push({ name: `${file.replace(/\.ts$/, '').replaceAll('/', ' ')} --${flag}`, flag: `--${flag}`, parse })
    }
  }
  return found
}

async function tried(parse: Parse, text: string): Promise<{ value: unknown } | { refusal: RefusedValue['refusal'] }> {
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
    if (await takes(known.parse, '5', (value) => value === 5)) return { ...known, kind: 'integer' as const }
    if ((await takes(known.parse, '5s', (value) => value === 5_000 || value === '5s')) && !(await takes(known.parse, 'x', () => true)))
      return { ...known, kind: 'duration' as const }
    if (await takes(known.parse, '2030-01-31T09:00:00Z', (value) => typeof value === 'number')) return { ...known, kind: 'instant' as const }
    return { ...known, kind: 'other' as const }
  }),
)
const of = (kind: string) => kinds.filter((known) => known.kind === kind).map(({ name, flag, parse }) => [name, flag, parse] as const)

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
    ]) {
      expect(names).toContain(name)
    }
  })

  it.each(of('integer'))(
    'B137 %s takes plain digits in its range, and names itself, the value and the range otherwise',
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
    const known = ['enqueue --delay', 'enqueue --deadline', 'enqueue --timeout', 'enqueue --at', 'run-worker --grace']
    const selecting = ['jobs list --since', 'incidents resolve --until', 'dlq discard --older-than']
    for (const name of [...known, ...selecting]) expect(names).toContain(name)
  })

  it.each(of('duration'))('B137 %s takes whole numbers with a unit and nothing else', async (_name, flag, parse) => {
    for (const text of [...nowhereTaken, '5', '-5m', '5S', '99999d', '-1', '0', '2147483648', '5s ', '１s']) {
      const answer = await tried(parse, text)
      expect([text, 'refusal' in answer ? answer.refusal.code : answer.value]).toEqual([text, 'usage'])
      if ('refusal' in answer) expect(answer.refusal.message).toContain(flag)
    }
    expect(await takes(parse, '1h30m', (value) => value === 5_400_000 || value === '1h30m')).toBe(true)
  })

  it.each(of('instant'))('B137 %s takes ISO 8601 with a zone and nothing else', async (_name, flag, parse) => {
    for (const text of [...nowhereTaken, '5s', '2030-01-31', '2030-02-30T00:00:00Z']) {
      const answer = await tried(parse, text)
      expect('refusal' in answer && answer.refusal.message.includes(flag)).toBe(true)
    }
  })
})

describe('a value that is refused', () => {
  it('B137 ends with exit 2 before anything is done', async () => {
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
