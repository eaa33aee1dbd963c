import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BusinessError } from '../../../src/domain/handler-errors.ts'
import { WfError } from '../../../src/errors.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { loadHandlers } from '../../../src/worker/handler/load-handlers.ts'
import type { LoadedHandler } from '../../../src/worker/handler/loaded-handler.ts'
import { temporaryDirectory } from '../../support/open-test-store.ts'

/** Writes the files below a folder of the test's own; answers the path of each. */
function project(files: Record<string, string>): (name: string) => string {
  const folder = temporaryDirectory()
  for (const [name, text] of Object.entries({ 'node_modules/.keep': '', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return (name) => join(folder, name)
}

async function load(files: Record<string, string>, ...names: string[]): Promise<Map<string, LoadedHandler>> {
  const at = project(files)
  return loadHandlers((names.length > 0 ? names : Object.keys(files).slice(0, 1)).map(at))
}

async function failure(files: Record<string, string>, ...names: string[]): Promise<WfError> {
  const error = await load(files, ...names).then(
    () => new Error('it was loaded'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof WfError)) throw error
  return error
}

const run = (loaded: Map<string, LoadedHandler>, type: string) =>
  loaded.get(type)?.run({} as never, {} as never)
const esm =
  "import { defineHandler } from 'wfkit'\nexport default defineHandler({ type: 'charge', run: async () => 'ran' })\n"
const cjs =
  "const { defineHandler } = require('wfkit')\nmodule.exports = defineHandler({ type: 'charge', run: async () => 'ran' })\n"

// A37 B066
describe('a module', () => {
  const packages: [string, Record<string, string>][] = [
    ['a package of type module', { 'package.json': '{"type":"module"}' }],
    ['a package of type commonjs', { 'package.json': '{"type":"commonjs"}' }],
    ['a package without a type', { 'package.json': '{}' }],
    ['no package at all', {}],
  ]
  const modules: [string, string][] = [
    ['h.ts', esm],
    ['h.mts', esm],
    ['h.tsx', esm],
    ['h.js', esm],
    ['h.mjs', esm],
    ['h.cjs', cjs],
    [
      'h.cts',
      "import wfkit = require('wfkit')\nexport = wfkit.defineHandler({ type: 'charge', run: async () => 'ran' as string })\n",
    ],
    ['plain.cts', cjs],
  ]
  for (const [name, files] of packages) {
    it.each(modules)(`in ${name} loads as %s`, async (file, text) => {
      const loaded = await load({ [file]: text, ...files })
      expect([...loaded.keys()]).toEqual(['charge'])
      expect(await run(loaded, 'charge')).toBe('ran')
    })
  }

  it('in CommonJS loads as .js', async () => {
    expect([...(await load({ 'h.js': cjs, 'package.json': '{"type":"commonjs"}' })).keys()]).toEqual([
      'charge',
    ])
    expect([...(await load({ 'h.js': cjs })).keys()]).toEqual(['charge'])
  })

  it.each([
    ['a folder with a blank', 'my handlers/h.ts'],
    ['#', 'c#/h#1.ts'],
    ['%', '100%/a%41.ts'],
    ['a question mark', 'why?/h.ts'],
    ['unicode', 'größe/邮件.ts'],
    ['a quote', "it's/h.ts"],
  ])('loads from a path with %s', async (_, file) => {
    expect([...(await load({ [file]: esm })).keys()]).toEqual(['charge'])
    expect([...(await load({ [file.replace('.ts', '.mjs')]: esm })).keys()]).toEqual(['charge'])
  })

  it('loads through a symlink, and once however often it is named', async () => {
    const at = project({ 'real/h.ts': `globalThis.loadCount = (globalThis.loadCount ?? 0) + 1\n${esm}` })
    symlinkSync(at('real'), at('link'))
    const loaded = await loadHandlers([at('link/h.ts'), at('real/h.ts'), at('real/h.ts')])
    expect([...loaded.keys()]).toEqual(['charge'])
    expect((globalThis as { loadCount?: number }).loadCount).toBe(1)
  })

  it('loads from a relative path', async () => {
    const at = project({ 'h.ts': esm })
    const { relative } = await import('node:path')
    expect([...(await loadHandlers([relative(process.cwd(), at('h.ts'))])).keys()]).toEqual(['charge'])
  })

  it('may import others, with and without extension, through paths of its own tsconfig', async () => {
    const loaded = await load({
      'h.ts': [
        "import { defineHandler } from 'wfkit'",
        "import { a } from './lib/a.ts'",
        "import { b } from './lib/b.js'",
        "import { c } from '@lib/c'",
        "export default defineHandler({ type: 'charge', run: async () => a + b + c })",
      ].join('\n'),
      'lib/a.ts': 'export const a: number = await Promise.resolve(1)',
      'lib/b.ts': "import data from './data.json'\nexport const b: number = data.two",
      'lib/data.json': '{"two":2}',
      'lib/c.ts': 'export const c = 3',
      'tsconfig.json':
        '{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["lib/*"] } } } // a comment',
    })
    expect(await run(loaded, 'charge')).toBe(6)
  })

  it('loads beside a tsconfig whose base is not installed, and beside one that is broken', async () => {
    for (const tsconfig of ['{ "extends": "@tsconfig/nowhere" }', '{ broken']) {
      expect([...(await load({ 'h.ts': esm, 'tsconfig.json': tsconfig })).keys()]).toEqual(['charge'])
    }
  })

  it('may use enums, decorators, parameter properties, namespaces, JSX and top-level await', async () => {
    const loaded = await load({
      'h.tsx': [
        "import { defineHandler } from 'wfkit'",
        'const React = { createElement: (tag: string) => tag }',
        'enum Colour { red = 3 }',
        'namespace Rates { export const low = 2 }',
        'function named(name: string) { return (target: { label?: string }) => { target.label = name } }',
        "@named('mailer') class Mailer { static label?: string; constructor(private readonly to: string) {} get target() { return this.to } }",
        'const ready = await Promise.resolve(true)',
        "export default defineHandler({ type: 'charge', run: async () => [Colour.red, Rates.low, Mailer.label, new Mailer('x').target, <b/>, ready] })",
      ].join('\n'),
      'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true, "jsx": "react" } }',
    })
    expect(await run(loaded, 'charge')).toEqual([3, 2, 'mailer', 'x', 'b', true])
  })

  it('throws errors of this very package, with the line of its TypeScript', async () => {
    const text = [
      "import { BusinessError, defineHandler } from 'wfkit'",
      'interface Order {',
      '  id: string',
      '}',
      '',
      "export default defineHandler({ type: 'charge', async run(): Promise<Order> {",
      "  throw new BusinessError('CARD_DECLINED')",
      '} })',
    ].join('\n')
    const loaded = await load({ 'pay.ts': text })
    const error = await (run(loaded, 'charge') as Promise<unknown>).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BusinessError)
    expect((error as Error).stack).toMatch(/pay\.ts:7:\d+/)
  })

  it('finds wfkit/testing too', async () => {
    const loaded = await load({
      'h.ts': `import { createFakeClock } from 'wfkit/testing'\n${esm.replace("'ran'", 'typeof createFakeClock')}`,
    })
    expect(await run(loaded, 'charge')).toBe('function')
  })

  it('changes no loader of the process', async () => {
    const { default: Module } = await import('node:module')
    const extensions = { ...(Module as unknown as { _extensions: Record<string, unknown> })._extensions }
    await load({ 'h.ts': esm })
    expect((Module as unknown as { _extensions: Record<string, unknown> })._extensions).toEqual(extensions)
  })
})

// A37 B066
describe('what a module exports', () => {
  it.each([
    ['one handler by name', "export const mail = { type: 'mail', run() {} }", ['mail']],
    [
      'several by name',
      "export const a = { type: 'a', run() {} }\nexport const b = { type: 'b', run() {} }",
      ['a', 'b'],
    ],
    [
      'default and named',
      "export const a = { type: 'a', run() {} }\nexport default { type: 'b', run() {} }",
      ['a', 'b'],
    ],
    ['the same one twice', "export const a = { type: 'a', run() {} }\nexport default a", ['a']],
    ['a list', "export default [{ type: 'a', run() {} }, { type: 'b', run() {} }]", ['a', 'b']],
    ['a named list', "export const handlers = [{ type: 'a', run() {} }]", ['a']],
    ['a bundle', "export default { one: { type: 'a', run() {} }, two: { type: 'b', run() {} } }", ['a', 'b']],
    ['a default function', 'export default async function (job) {}', ['send-mail']],
    ['a default arrow function', 'export default async (job) => 1', ['send-mail']],
    ['one function by name', 'export const limit = 3\nexport async function send(job) {}', ['send-mail']],
    [
      'handlers beside other things',
      "export const limit = 3\nexport function help() {}\nexport class X {}\nexport const a = { type: 'a', run() {} }",
      ['a'],
    ],
    ['an instance of a class', "class H { type = 'a'\n run() { return 1 } }\nexport default new H()", ['a']],
    ['a re-export', "export { default, b } from './other.ts'", ['x', 'b']],
    ['a re-export of everything', "export * from './other.ts'", ['b']],
  ])('%s', async (_, text, types) => {
    const other = "export default { type: 'x', run() {} }\nexport const b = { type: 'b', run() {} }"
    const loaded = await load({ 'send-mail.ts': text, 'other.ts': other })
    expect([...loaded.keys()].sort()).toEqual([...types].sort())
  })

  it.each([
    ['a function', 'module.exports = async function (job) {}', ['send-mail']],
    ['a handler', "module.exports = { type: 'a', run() {} }", ['a']],
    ['a list', "module.exports = [{ type: 'a', run() {} }]", ['a']],
    ['type and run as exports', "exports.type = 'a'\nexports.run = () => 1", ['a']],
    [
      'handlers by name',
      "exports.a = { type: 'a', run() {} }\nexports.b = { type: 'b', run() {} }",
      ['a', 'b'],
    ],
    [
      'a default as a compiler writes it',
      "Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = { type: 'a', run() {} }",
      ['a'],
    ],
    [
      'a default without a mark',
      "exports.default = { type: 'a', run() {} }\nexports.b = { type: 'b', run() {} }",
      ['a', 'b'],
    ],
  ])('in CommonJS: %s', async (_, text, types) => {
    expect([...(await load({ 'send-mail.cjs': text })).keys()].sort()).toEqual([...types].sort())
  })

  it('runs a plain function as the handler of the type that its file is called', async () => {
    const loaded = await load({ 'send-mail.ts': 'export default async (job: { to: string }) => "sent"' })
    expect(loaded.get('send-mail')).toMatchObject({ type: 'send-mail', concurrency: 10 })
    expect(await run(loaded, 'send-mail')).toBe('sent')
  })

  // B107
  it('loads a type called __proto__ like any other', async () => {
    const loaded = await load({
      'h.ts': "export default [{ type: '__proto__', run() {} }, { type: 'toString', run() {} }]",
    })
    expect([...loaded.keys()]).toEqual(['__proto__', 'toString'])
  })
})

// A37 B065
describe('a module that cannot be loaded is told in three lines', () => {
  it.each<[string, string, readonly [RegExp, RegExp, RegExp]]>([
    [
      'a syntax error',
      'export default {\n  type: "a"\n  run() {}\n}',
      [/h\.ts:3:2$/, /^syntax error: .*expected/i, /correct the line/],
    ],
    [
      'a missing file',
      "import 'wfkit'\n\nimport { x } from './nowhere.ts'\nexport default x",
      [/h\.ts:3:\d+$/, /imports "\.\/nowhere\.ts", which cannot be found/, /check the path/],
    ],
    [
      'a missing package',
      "import x from '@scope/nowhere/sub'\nexport default x",
      [/h\.ts:1:\d+$/, /imports "@scope\/nowhere\/sub"/, /npm install @scope\/nowhere$/],
    ],
    [
      'a throw',
      '\n\nthrow new TypeError("no key")',
      [/h\.ts:3:\d+$/, /threw while it was loading: TypeError: no key/, /inside run/],
    ],
    ['a throw of null', 'throw null', [/h\.ts$/, /threw while it was loading: null/, /inside run/]],
    ['no export', 'const a = 1', [/h\.ts$/, /exports nothing/, /export default defineHandler/]],
    [
      'only other exports',
      'export const a = 1, b = "x"\nexport class C {}',
      [
        /h\.ts$/,
        /exports no handler, only C \(a class\), a \(a number: 1\), b \(a string: "x"\)$/,
        /defineHandler/,
      ],
    ],
    ['a number', 'export default 5', [/h\.ts$/, /default \(a number: 5\)/, /defineHandler/]],
    ['null', 'export default null', [/h\.ts$/, /default \(null\)/, /defineHandler/]],
    ['a class', 'export default class Mail { run() {} }', [/h\.ts$/, /default \(a class\)/, /defineHandler/]],
    [
      'two functions',
      'export function a() {}\nexport function b() {}',
      [/h\.ts$/, /a \(a function\), b \(a function\)/, /defineHandler/],
    ],
    [
      'two handlers of one type',
      "export const a = { type: 'x', run() {} }\nexport const b = { type: 'x', run() {} }",
      [/h\.ts$/, /b handles the type "x", which is already handled by a in .*h\.ts/, /another type/],
    ],
    [
      'a misspelled option',
      "export default { type: 'x', run() {}, retrys: 3 }",
      [/h\.ts$/, /export default: handler "x": "retrys" is not an option/, /did you mean retries/],
    ],
    [
      'a type with a blank',
      "export default { type: 'x ', run() {} }",
      [/h\.ts$/, /export default: .*"x "/, /write "x"/],
    ],
    [
      'run that is no function',
      "export default { type: 'x', run: 5 }",
      [/h\.ts$/, /run is 5/, /run\(job, ctx\)/],
    ],
  ])('%s', async (_, text, [where, what, hint]) => {
    const error = await failure({ 'h.ts': text })
    const lines = error.message.split('\n')
    expect(error.code).toBe('handler_load_failed')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(where)
    expect(lines[1]).toMatch(what)
    expect(error.hint).toMatch(hint)
    expect(error.hint).not.toContain('\n')
  })

  it('names the module that is at fault, not the one that imports it', async () => {
    const error = await failure({ 'h.ts': "import './lib.ts'", 'lib.ts': '\nthrow new Error("deep")' })
    expect(error.message).toMatch(/lib\.ts:2:\d+\n.*deep/)
    expect((await failure({ 'h.ts': "import './lib.ts'", 'lib.ts': 'const a = ;' })).message).toMatch(
      /lib\.ts:1:\d+\nsyntax error/,
    )
  })

  it.each(['mjs', 'cjs', 'js'])(
    'tells of a throw, a missing import and a syntax error in .%s too',
    async (extension) => {
      const imports = extension === 'cjs' ? "require('./nowhere.js')" : "import './nowhere.js'"
      expect((await failure({ [`h.${extension}`]: '\nthrow new Error("deep")' })).message).toMatch(
        /h\.\w+:2:\d+\n.*deep/,
      )
      expect((await failure({ [`h.${extension}`]: imports })).message).toMatch(/h\.\w+(:\d+:\d+)?\n.*nowhere/)
      expect((await failure({ [`h.${extension}`]: 'const a = ;' })).message).toMatch(
        /h\.\w+:1:\d+\nsyntax error/,
      )
    },
  )

  it('two handlers of one type in two files', async () => {
    const error = await failure(
      { 'a.ts': "export default { type: 'x', run() {} }", 'b.ts': "export default { type: 'x', run() {} }" },
      'a.ts',
      'b.ts',
    )
    expect(error.message).toMatch(/b\.ts\n.*already handled by default in .*a\.ts/)
  })

  it('an import that never ends is given up after its time', async () => {
    const at = project({ 'h.ts': 'await new Promise(() => {})\nexport default () => 1' })
    const clock = createFakeClock()
    const loading = loadHandlers([at('h.ts')], { clock, timeoutMs: 2_000 }).catch((error: unknown) => error)
    while (clock.pendingTimers === 0) await clock.settle()
    await clock.advance(2_000)
    expect(await loading).toMatchObject({
      code: 'handler_load_failed',
      message: expect.stringMatching(/h\.ts\nit did not finish loading within 2 s/),
    })
    expect(clock.pendingTimers).toBe(0)
  })

  it.each([
    ['a file that is not there', 'nowhere.ts', /there is no such file/],
    ['a folder', 'folder', /this is a folder/],
    ['another kind of file', 'data.json', /no JavaScript or TypeScript module/],
  ])('%s', async (_, name, what) => {
    const error = await failure({ 'folder/h.ts': esm, 'data.json': '{}' }, name)
    expect(error.message.split('\n')[1]).toMatch(what)
    expect(error.hint).not.toBe('')
  })

  it('no file at all', async () => {
    await expect(loadHandlers([])).rejects.toMatchObject({ code: 'handler_load_failed' })
  })
})

describe('loading only some types', () => {
  const files = { 'h.ts': "export default [{ type: 'a', run() {} }, { type: 'b', run() {} }]" }
  it('leaves the others out', async () => {
    const at = project(files)
    expect([...(await loadHandlers([at('h.ts')], { only: ['b'] })).keys()]).toEqual(['b'])
    expect([...(await loadHandlers([at('h.ts')], { only: [] })).keys()]).toEqual(['a', 'b'])
  })
  it('refuses one that no module handles, and names those that there are', async () => {
    const at = project(files)
    await expect(loadHandlers([at('h.ts')], { only: ['a', 'c'] })).rejects.toMatchObject({
      message: 'no handler for "c" was loaded',
      hint: 'these were: a, b',
    })
  })
})
