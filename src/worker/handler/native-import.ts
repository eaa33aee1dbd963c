/**
 * Which handler modules Node.js itself reads the way the transpiler does: those are imported without it, which is sooner and
 * smaller. It is told from the text of the module and of what it imports by path, before anything runs; in doubt the answer
 * is no, and nothing is lost but time.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ownEntry, ownTestingEntry } from './self-import.ts'

const ownEntries: Readonly<Record<string, string>> = { wfkit: ownEntry, 'wfkit/testing': ownTestingEntry }

/** More of them are not worth reading twice. */
const mostModules = 50

/** Only the transpiler gives these to an ES module, or takes paths that are made while it runs. */
const beyondNode = /\bimport\s*\(|\brequire\b|\b__(?:dir|file)name\b|\bimport\.meta\.(?:dir|file)name\b/

const importedPath = /(?:\bfrom|\bimport)\s*(['"])(.*?)\1/g

/** @param file absolute, behind all links */
export function isNative(file: string): boolean {
  const seen = new Set([file])
  for (const each of seen) {
    if (seen.size > mostModules || !isEsModule(each)) return false
    const text = readFileSync(each, 'utf8')
    if (beyondNode.test(text)) return false
    for (const [, , specifier = ''] of text.matchAll(importedPath)) {
      if (specifier.startsWith('.')) {
        const imported = fileURLToPath(new URL(specifier, pathToFileURL(each)))
        if (!existsSync(imported)) return false
        seen.add(imported)
      } else if (!isSameForNode(specifier, each)) return false
    }
  }
  return true
}

/** The module's exports, or null when Node.js finds, before anything of it has run, that it cannot read it after all. */
export async function importNatively(file: string): Promise<object | null> {
  try {
    return (await import(pathToFileURL(file).href)) as object
  } catch (error) {
    if (isFromLinking(error)) return null
    throw error
  }
}

function isFromLinking(error: unknown): boolean {
  // What the module itself runs into stands below a frame of its own.
  if (
    !(error instanceof Error) ||
    !/^\s+at .*$/m.exec(error.stack ?? '')?.[0].includes('node:internal/modules/')
  )
    return false
  return (
    error instanceof SyntaxError ||
    ('code' in error &&
      /^ERR_(?:MODULE|UNSUPPORTED|PACKAGE|UNKNOWN|IMPORT|INVALID)_/.test(String(error.code)))
  )
}

/** Without a word in the package.json the ending .js can mean either, and Node.js decides by its version. */
function isEsModule(file: string): boolean {
  const extension = extname(file)
  if (extension === '.mjs') return true
  return extension === '.js' && typeOfPackage(dirname(file)) === 'module'
}

function typeOfPackage(folder: string): unknown {
  for (let at = folder; ; at = dirname(at)) {
    const text = readOrNull(join(at, 'package.json'))
    if (text !== null) return typeIn(text)
    if (dirname(at) === at) return null
  }
}

function typeIn(text: string): unknown {
  try {
    const document: unknown = JSON.parse(text)
    return typeof document === 'object' && document !== null && 'type' in document ? document.type : null
  } catch {
    return null
  }
}

/** Where the module lives this package may be another copy, or none: what handlers throw must be of this one. */
function isSameForNode(specifier: string, from: string): boolean {
  if (specifier.startsWith('/')) return false
  if (!/^wfkit(?:\/|$)/.test(specifier)) return true
  try {
    return pathToFileURL(createRequire(from).resolve(specifier)).href === ownEntries[specifier]
  } catch {
    return false
  }
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
