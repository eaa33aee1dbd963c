import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importNatively, isNative } from '../../../src/worker/handler/native-import.ts'
import { temporaryDirectory } from '../../support/open-test-store.ts'

const source = fileURLToPath(new URL('../../../src', import.meta.url))

/** Writes the files below a folder of the test's own; answers the path of the first. */
function project(files: Record<string, string>): string {
  const folder = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return join(folder, Object.keys(files)[0] ?? '')
}

/** A `wfkit` beside the module, which is src or a copy of its own. */
function install(file: string, what: 'src' | 'copy'): string {
  const folder = join(dirname(file), 'node_modules/wfkit')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    '{"type":"module","exports":{".":"./src/index.ts","./testing":"./src/testing/index.ts"}}',
  )
  if (what === 'src') symlinkSync(source, join(folder, 'src'))
  else {
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/index.ts'), '')
  }
  return file
}

const handler = "export default { type: 'a', run() {} }\n"

describe('a module that Node.js reads by itself', () => {
  it.each([
    ['an ES module', { 'h.mjs': handler }],
    ['.js in a package of type module', { 'h.js': handler, 'package.json': '{"type":"module"}' }],
    ['.js below such a package', { 'jobs/h.js': handler, 'package.json': '{"type":"module"}' }],
    [
      'imports of Node.js and of packages',
      { 'h.mjs': `import { join } from 'node:path'\nimport x from 'some-package'\n${handler}` },
    ],
    [
      'imports of others like it',
      {
        'h.mjs': `import { a } from './lib/a.mjs'\n${handler}`,
        'lib/a.mjs': "export * from '../b.mjs'",
        'b.mjs': 'export const a = 1',
      },
    ],
  ])('is %s', (_, files) => {
    expect(isNative(project(files as Record<string, string>))).toBe(true)
  })

  it.each([
    ['TypeScript', { 'h.ts': handler }],
    ['CommonJS', { 'h.cjs': 'module.exports = { type: "a", run() {} }' }],
    ['.js in a package without a type', { 'h.js': handler, 'package.json': '{}' }],
    ['.js beside a broken package.json', { 'h.js': handler, 'package.json': '{' }],
    [
      '.js in a package of type commonjs below one of type module',
      { 'a/h.js': handler, 'a/package.json': '{"type":"commonjs"}', 'package.json': '{"type":"module"}' },
    ],
    ['one that imports TypeScript', { 'h.mjs': `import './a.ts'\n${handler}`, 'a.ts': '' }],
    [
      'one whose import imports TypeScript',
      { 'h.mjs': `import './a.mjs'\n${handler}`, 'a.mjs': "import './b.ts'", 'b.ts': '' },
    ],
    ['one that leaves an extension out', { 'h.mjs': `import './a'\n${handler}`, 'a.mjs': '' }],
    ['one that imports JSON', { 'h.mjs': `import a from './a.json'\n${handler}`, 'a.json': '{}' }],
    [
      'one that imports while it runs',
      { 'h.mjs': "export default { type: 'a', run: () => import('./a.ts') }" },
    ],
    ['one that uses require', { 'h.mjs': `const fs = require('node:fs')\n${handler}` }],
    ['one that uses __dirname', { 'h.mjs': `const here = __dirname\n${handler}` }],
    [
      'one that imports wfkit where it is not installed',
      { 'h.mjs': `import { defineHandler } from 'wfkit'\n${handler}` },
    ],
  ])('is not %s', (_, files) => {
    expect(isNative(project(files as Record<string, string>))).toBe(false)
  })

  it('may import wfkit when that is this very package, and not when it is another copy', () => {
    const files = { 'h.mjs': `import { defineHandler } from 'wfkit'\n${handler}` }
    expect(isNative(install(project(files), 'src'))).toBe(true)
    expect(isNative(install(project(files), 'copy'))).toBe(false)
    expect(isNative(install(project({ 'h.mjs': `import 'wfkit/testing'\n${handler}` }), 'src'))).toBe(true)
    expect(isNative(install(project({ 'h.mjs': `import 'wfkit/other'\n${handler}` }), 'src'))).toBe(false)
  })

  it('is left to the transpiler when it cannot be linked, and otherwise throws what it throws', async () => {
    for (const text of [
      'const a = ;',
      "import 'no-such-package'",
      "import { nothing } from 'node:path'\nglobalThis.linkedAfterAll = nothing",
    ]) {
      expect(await importNatively(project({ 'h.mjs': text }))).toBeNull()
    }
    expect(globalThis).not.toHaveProperty('linkedAfterAll')
    await expect(importNatively(project({ 'h.mjs': "JSON.parse('{')" }))).rejects.toThrow(SyntaxError)
    await expect(importNatively(project({ 'h.mjs': "throw new TypeError('mine')" }))).rejects.toThrow('mine')
    expect(await importNatively(project({ 'h.mjs': 'export const a = 1' }))).toMatchObject({ a: 1 })
  })
})
