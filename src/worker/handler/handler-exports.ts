/** Finds the handlers in a module's exports: objects with `run`, lists of them, or the only function. */
import { basename } from 'node:path'
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { loadFailure } from './load-failure.ts'
import { normaliseHandler } from './handler-schema.ts'
import type { LoadedHandler } from './loaded-handler.ts'

export interface FoundHandler {
  handler: LoadedHandler
  /** The exported value: exported under two names it is one handler. */
  source: unknown
  /** The export's name, for messages. */
  name: string
  file: string
}

interface Export {
  name: string
  value: unknown
}

/** @param file as the user named it: the type of a plain function comes from it */
export function collectHandlers(exports: unknown, file: string): readonly FoundHandler[] {
  const all = exportsOf(exports)
  const handlers = all.flatMap(listed).filter(({ value }) => isHandlerLike(value))
  if (handlers.length > 0) return distinct(handlers).map((each) => found(each, file))
  const run = onlyFunction(all)
  if (run)
    return [found({ name: run.name, value: { type: typeFrom(file), run: run.value } }, file, run.value)]
  throw nothingFound(all, file)
}

/** Returns a module's exports by name, with the members of its default export if that bundles handlers. */
function exportsOf(exports: unknown): readonly Export[] {
  if (typeof exports === 'function') return [{ name: 'module.exports', value: exports }]
  if (typeof exports !== 'object' || exports === null) return [{ name: 'module.exports', value: exports }]
  if (Array.isArray(exports) || (isHandlerLike(exports) && !Object.hasOwn(exports, 'default')))
    return [{ name: 'module.exports', value: exports }]
  const named = Object.entries(exports).filter(([name]) => name !== 'module.exports' && name !== '__esModule')
  const direct = named.map(([name, value]) => ({ name, value }))
  // The loader adds a default export to a module that has none.
  const standard = Object.hasOwn(exports, 'default') ? (exports as { default?: unknown }).default : undefined
  if (isHandlerLike(standard) || Array.isArray(standard) || typeof standard === 'function') {
    return [{ name: 'default', value: standard }, ...direct.filter(({ name }) => name !== 'default')]
  }
  const bundled = isPlainObject(standard)
    ? Object.entries(standard).map(([name, value]) => ({ name: `default.${name}`, value }))
    : []
  return [...direct, ...bundled]
}

function listed({ name, value }: Export): readonly Export[] {
  return Array.isArray(value)
    ? value.map((item: unknown, index) => ({ name: `${name}[${index}]`, value: item }))
    : [{ name, value }]
}

/** True for objects with `run`, and for those that resemble a handler enough to have their mistakes reported. */
function isHandlerLike(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { run, type } = value as { run?: unknown; type?: unknown }
  return typeof run === 'function' || (typeof type === 'string' && 'run' in value)
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function distinct(exports: readonly Export[]): readonly Export[] {
  const seen = new Set<unknown>()
  return exports.filter(({ value }) => !seen.has(value) && seen.add(value))
}

/** Returns the default export if it is a function, else the only exported function. */
function onlyFunction(exports: readonly Export[]): { name: string; value: unknown } | null {
  const standard = exports.find(({ name }) => name === 'default' || name === 'module.exports')
  if (standard && isRunnable(standard.value)) return standard
  if (standard && typeof standard.value !== 'object') return null
  const functions = exports.filter(({ value }) => isRunnable(value))
  return functions.length === 1 ? (functions[0] ?? null) : null
}

function isRunnable(value: unknown): boolean {
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value))
}

function typeFrom(file: string): string {
  return basename(file).replace(/\.[cm]?[jt]sx?$/, '')
}

function found({ name, value }: Export, file: string, source: unknown = value): FoundHandler {
  try {
    return { handler: normaliseHandler(value), source, name, file }
  } catch (error) {
    if (!(error instanceof WfError)) throw error
    throw loadFailure(file, `export ${name}: ${error.message}`, error.hint, error)
  }
}

function nothingFound(exports: readonly Export[], file: string): WfError {
  const names = exports.map(({ name, value }) => `${name} (${kindOf(value)})`)
  const what =
    names.length > 0
      ? `it exports no handler, only ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`
      : 'it exports nothing'
  return loadFailure(
    file,
    what,
    'write export default defineHandler({ type, run }), or export default an async function',
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'function') return isRunnable(value) ? 'a function' : 'a class'
  return typeof value === 'object' ? 'an object without run' : `a ${typeof value}: ${preview(value, 40)}`
}
