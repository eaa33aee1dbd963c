/** What the documents say about the code is held against the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { exitCodeOf, exitCodes } from '../src/cli/exit-codes.ts'
import type { ErrorCode } from '../src/errors.ts'
import { incidentKinds } from '../src/domain/incident.ts'
import { settings } from '../src/config/settings.ts'
import { handlerOptions } from '../src/worker/handler/handler-schema.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((page) => page.endsWith('.md'))
    .map((page) => `docs/${page}`),
]

/** What tests are called, placeholders as they are written. */
function titlesIn(text: string) {
  return [
    ...text.matchAll(
      /\b(?:it|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*(?:\/\/[^\n]*\n\s*)*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g,
    ),
  ].map(([, , title = '']) => title)
}

/** Fenced blocks and inline code, a line each. */
function codeIn(page: string): string {
  return [...page.matchAll(/^```.*\n([\s\S]*?)^```|`([^`\n]+)`/gm)]
    .map(([, block, inline]) => block ?? inline)
    .join('\n')
}

describe('the documents', () => {
  it('link to what exists', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('name only tests that exist for the promise', () => {
    const rows = [...read('docs/promise.md').matchAll(/^\| [^|]+ \| (.+) \| (test\/\S+) \|$/gm)]
    expect(rows.length).toBeGreaterThan(20)
    const missing = rows.filter(
      ([, name = '', file = '']) =>
        !existsSync(join(root, file)) || !titlesIn(read(file)).some((title) => title.startsWith(name)),
    )
    expect(missing.map(([, name, file]) => `${file}: ${name}`)).toEqual([])
  })

  it('have tests for every line of the promise that the README makes', () => {
    const numbers = (page: string, line: RegExp) =>
      [...read(page).matchAll(line)].map(([, number]) => Number(number))
    const promised = numbers('README.md', /^(\d)\. \*\*/gm)
    expect(promised).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(numbers('docs/promise.md', /^## (\d)\. /gm)).toEqual(promised)
  })

  it('give every error code the exit that the code gives it, in one row each', () => {
    const codes = [...read('src/errors.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(
      ([, code = '']) => code as ErrorCode,
    )
    expect(codes.length).toBeGreaterThan(20)
    const rows = [...read('docs/exit-codes.md').matchAll(/^\| ([\d, ]+) \| [^|]+ \|([^|]*)\|$/gm)].flatMap(
      ([, exits = '', named = '']) =>
        exits.split(', ').map((exit) => ({
          exit: Number(exit),
          codes: [...named.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
        })),
    )
    expect(rows.map(({ exit }) => exit)).toEqual(Object.values(exitCodes))
    const documented = rows.flatMap(({ exit, codes }) => codes.map((code) => `${code} ${exit}`))
    expect(documented.sort()).toEqual(codes.map((code) => `${code} ${exitCodeOf(code)}`).sort())
  })

  it('say what each kind of incident means and what helps', () => {
    const guide = read('docs/operating.md')
    expect(incidentKinds.filter((kind) => !guide.includes(`\`${kind}\``))).toEqual([])
  })

  it('explain every option of a handler', () => {
    const table = read('docs/handlers.md')
    expect(handlerOptions.filter((option) => !new RegExp(`^\\| \`${option}\\b`, 'm').test(table))).toEqual([])
  })

  it('name every setting with its variable', () => {
    const table = read('docs/store.md')
    const missing = Object.entries(settings)
      .filter(([name, { env }]) => !table.includes(`| \`${name}\` | \`${env}\` |`))
      .map(([name]) => name)
    expect(missing).toEqual([])
  })

  it('name no command that does not exist', () => {
    const commands = new Set(
      readdirSync(join(root, 'src/commands'), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => file.replace(/\.ts$/, '').split(/[\\/]/).join(' ')),
    )
    const topics = new Set(
      [...commands].filter((command) => command.includes(' ')).map((command) => command.split(' ')[0]),
    )
    const wrong = pages.flatMap((page) =>
      [...codeIn(read(page)).matchAll(/(?:^|\$ |npx |&& )wf ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/gm)]
        .map(([, first = '', second = '']) => (topics.has(first) ? `${first} ${second}`.trim() : first))
        .filter((command) => !commands.has(command) && !topics.has(command))
        .map((command) => `${page}: wf ${command}`),
    )
    expect(wrong).toEqual([])
  })
})
