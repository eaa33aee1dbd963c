/**
 * Loads handler files and returns the handlers by type. Importing is in module-loader.ts, finding handlers in
 * handler-exports.ts. Nothing here comes from a store or a job: a job's type only selects among the loaded handlers.
 */
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Clock, systemClock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import { preview } from '../../text/preview.ts'
import { collectHandlers, type FoundHandler } from './handler-exports.ts'
import { failureOf, loadFailure, shownPath } from './load-failure.ts'
import type { LoadedHandler } from './loaded-handler.ts'
import { importModule, loadableExtensions } from './module-loader.ts'

export interface LoadOptions {
  /** Only these types; each must exist (default: all). */
  only?: readonly string[]
  /** For each module (default: 30 s). */
  timeoutMs?: number
  clock?: Clock
}

const defaultLoadTimeoutMs = 30_000

/**
 * Loads `.ts .mts .cts .tsx .js .mjs .cjs` modules, relative paths taken from the working directory. Rejects with a
 * WfError `handler_load_failed` of three lines: where, what, and (`hint`) what to do.
 */
export async function loadHandlers(
  paths: readonly string[],
  options: LoadOptions = {},
): Promise<Map<string, LoadedHandler>> {
  if (paths.length === 0)
    throw new WfError('handler_load_failed', 'no handler module was named', {
      hint: 'name a file, such as ./handlers.ts',
    })
  const found: FoundHandler[] = []
  for (const path of paths) found.push(...(await handlersOf(path, options)))
  return narrowed(byType(found), options.only)
}

async function handlersOf(
  path: string,
  { timeoutMs = defaultLoadTimeoutMs, clock = systemClock }: LoadOptions,
): Promise<readonly FoundHandler[]> {
  const file = existingFile(path)
  try {
    const exports = await within(importModule(file), { file, timeoutMs, clock })
    return collectHandlers(exports, resolve(path))
  } catch (error) {
    throw failureOf(error, file)
  }
}

/** Resolves links, so that a module is loaded once whatever names it has. */
function existingFile(path: string): string {
  const file = resolve(path)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats)
    throw loadFailure(
      file,
      'there is no such file',
      'check the path, which is taken from the working directory',
    )
  if (stats.isDirectory())
    throw loadFailure(file, 'this is a folder', 'name the handler modules in it, such as ./handlers/*.ts')
  if (!loadableExtensions.some((extension) => file.endsWith(extension))) {
    throw loadFailure(
      file,
      'this is no JavaScript or TypeScript module',
      `a handler module ends in ${loadableExtensions.join(', ')}`,
    )
  }
  return realpathSync(file)
}

function within<T>(
  loading: Promise<T>,
  { file, timeoutMs, clock }: { file: string; timeoutMs: number; clock: Clock },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = () =>
      reject(
        loadFailure(
          file,
          `it did not finish loading within ${timeoutMs / 1_000} s`,
          'see what it awaits at its top level: a handler module defines handlers and returns',
        ),
      )
    const cancel = clock.after(timeoutMs, tooLate)
    loading.then(resolve, reject).finally(cancel)
  })
}

function byType(found: readonly FoundHandler[]): Map<string, LoadedHandler> {
  const first = new Map<string, FoundHandler>()
  for (const each of found) {
    const { type } = each.handler
    const other = first.get(type)
    // The same handler under two names, or a file that was named twice, is fine.
    if (other && other.source !== each.source) {
      const there = `${other.name} in ${shownPath(other.file)}`
      throw loadFailure(
        each.file,
        `${each.name} handles the type ${preview(type)}, which is already handled by ${there}`,
        'give one of them another type',
      )
    }
    if (!other) first.set(type, each)
  }
  return new Map([...first].map(([type, { handler }]) => [type, handler]))
}

function narrowed(
  loaded: Map<string, LoadedHandler>,
  only: readonly string[] | undefined,
): Map<string, LoadedHandler> {
  if (!only || only.length === 0) return loaded
  const missing = only.filter((type) => !loaded.has(type))
  if (missing.length > 0) {
    throw new WfError(
      'handler_load_failed',
      `no handler for ${missing.map((type) => preview(type)).join(', ')} was loaded`,
      {
        hint: didYouMean(
          nearWords(missing, [...loaded.keys()]),
          `these were: ${[...loaded.keys()].join(', ')}`,
        ),
      },
    )
  }
  return new Map([...loaded].filter(([type]) => only.includes(type)))
}
