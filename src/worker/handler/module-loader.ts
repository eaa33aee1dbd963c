/**
 * Imports one handler module. What Node.js reads the same way by itself (native-import.ts) is imported natively, all else
 * through jiti: TypeScript without a build step, ES modules and CommonJS alike, line numbers kept. No hook is installed
 * and no global changed. `wfkit` is this very package wherever the module lies, so that the errors that a handler throws
 * are of our classes.
 */
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import type { JitiOptions } from 'jiti'
import { importNatively, isNative } from './native-import.ts'
import { ownEntries } from './self-import.ts'

export const loadableExtensions: readonly string[] = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs']

/** Returns the module's exports. Rejects with whatever the module, or its import, throws. */
export async function importModule(file: string): Promise<unknown> {
  return (isNative(file) ? await importNatively(file) : null) ?? (await transpiled(file))
}

async function transpiled(file: string): Promise<unknown> {
  const [{ createJiti }, own] = await Promise.all([import('jiti'), import(ownEntries.wfkit)])
  const options: JitiOptions = {
    moduleCache: true,
    interopDefault: true,
    jsx: true,
    debug: false,
    tryNative: false,
    sourceMaps: false,
    fsCache: cacheFolder(file) ?? false,
    virtualModules: {
      wfkit: own,
      // Few handlers import it.
      get 'wfkit/testing'() {
        return import(ownEntries['wfkit/testing'])
      },
    },
  }
  try {
    return await createWithPaths(createJiti, file, options).import(file)
  } catch (error) {
    if (isNullDefault(error)) return { default: null }
    throw error
  }
}

/** jiti fails on `export default null`. */
function isNullDefault(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.message === "Cannot read properties of null (reading 'then')" &&
    (error.stack ?? '').includes('jiti')
  )
}

type CreateJiti = typeof import('jiti').createJiti

/** A tsconfig.json that cannot be read (its base is a package that production leaves out) only costs its path aliases. */
function createWithPaths(createJiti: CreateJiti, file: string, options: JitiOptions) {
  try {
    return createJiti(file, { ...options, tsconfigPaths: true })
  } catch {
    return createJiti(file, options)
  }
}

/** Returns the first folder that is or can be ours; null: there is none, and every start transpiles again. */
function cacheFolder(file: string): string | null {
  const modules = nearestModules(dirname(file))
  const home = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const bases = [...(modules ? [join(modules, '.cache')] : []), home]
  return bases.map((base) => join(base, 'wfkit')).find(isOurs) ?? null
}

/** False for a folder that others may write to: the code in the cache is run. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
  } catch {
    return false
  }
}

function nearestModules(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const modules = join(at, 'node_modules')
    if (existsSync(modules)) return modules
    if (dirname(at) === at) return null
  }
}
