/**
 * Finds the handler modules that Node.js reads the same way as the transpiler: those are imported without it, which is
 * faster and takes less memory. Judged from the text of the module and of what it imports by path, before anything runs;
 * in doubt the module is transpiled, which costs nothing but time.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { attempt as tryOr } from '../../text/preview.ts'
import { ownEntries } from './self-import.ts'

/** More of them are not worth reading twice. */
const mostModules = 50

/** Only the transpiler gives these to an ES module, or takes paths that are made while it runs. */
const beyondNode = /\bimport\s*\(|\brequire\b|\b__(?:dir|file)name\b|\bimport\.meta\.(?:dir|file)name\b/

const importedPath = /(?:\bfrom|\bimport)\s*(['"])(.*?)\1/g

/** @param file absolute, behind all links */
export function isNative(file: string): boolean {
  const modules = new Set([file])
  for (const each of modules) {
    const imported = modules.size > mostModules || !isEsModule(each) ? null : importsOf(each)
    if (imported === null) return false
    for (const path of imported) modules.add(path)
  }
  return true
}

/** The files that a module imports by path; null: only the transpiler reads it the same way. */
function importsOf(file: string): readonly string[] | null {
  const text = readFileSync(file, 'utf8')
  if (beyondNode.test(text)) return null
  const specifiers = [...text.matchAll(importedPath)].map(([, , specifier = '']) => specifier)
  const [paths, names] = [specifiers.filter(isPath), specifiers.filter((each) => !isPath(each))]
  const files = paths.map((path) => fileURLToPath(new URL(path, pathToFileURL(file))))
  return files.every((path) => existsSync(path)) && names.every((name) => isSameForNode(name, file))
    ? files
    : null
}

function isPath(specifier: string): boolean {
  return specifier.startsWith('.')
}

/** Where the module lies this package may be another copy, or none; what handlers throw must be of this one. */
function isSameForNode(specifier: string, from: string): boolean {
  if (specifier.startsWith('/')) return false
  if (!/^wfkit(?:\/|$)/.test(specifier)) return true
  const resolved = tryOr(() => createRequire(from).resolve(specifier), null)
  const url = resolved === null ? null : pathToFileURL(resolved).href
  return Object.entries(ownEntries).some(([name, own]) => name === specifier && own === url)
}

/** Without `type` in the package.json the ending .js can mean either, and Node.js decides by its version. */
function isEsModule(file: string): boolean {
  const extension = extname(file)
  return extension === '.mjs' || (extension === '.js' && packageType(dirname(file)) === 'module')
}

function packageType(folder: string): unknown {
  const text = tryOr(() => readFileSync(join(folder, 'package.json'), 'utf8'), null)
  if (text === null) return dirname(folder) === folder ? null : packageType(dirname(folder))
  const document: unknown = tryOr(() => JSON.parse(text) as unknown, null)
  return typeof document === 'object' && document !== null && 'type' in document ? document.type : null
}

/** Returns the module's exports, or null when Node.js finds, before anything of it has run, that it can't read it. */
export async function importNatively(file: string): Promise<object | null> {
  try {
    return (await import(pathToFileURL(file).href)) as object
  } catch (error) {
    if (isFromLinking(error)) return null
    throw error
  }
}

function isFromLinking(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // An error that the module itself throws has a frame of its own at the top.
  const topFrame = /^\s+at .*$/m.exec(error.stack ?? '')?.[0] ?? ''
  if (!topFrame.includes('node:internal/modules/')) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    error instanceof SyntaxError || /^ERR_(?:MODULE|UNSUPPORTED|PACKAGE|UNKNOWN|IMPORT|INVALID)_/.test(code)
  )
}
