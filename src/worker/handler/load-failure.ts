/** The error of a module that can't be loaded: where, what, what to do. Stacks are shown with DEBUG only. */
import { isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorRecord, type ErrorRecord } from '../../domain/error-record.ts'
import { WfError } from '../../errors.ts'

/** `where` is a path, or a path with line and column. */
export function loadFailure(where: string, what: string, hint: string, cause?: unknown): WfError {
  return new WfError(
    'handler_load_failed',
    `${shownPath(where)}\n${what}`,
    cause === undefined ? { hint } : { hint, cause },
  )
}

/** Returns a path below the working directory as a relative one. */
export function shownPath(path: string): string {
  const shown = relative(process.cwd(), path)
  return shown !== '' && !shown.startsWith('..') && !isAbsolute(shown) ? shown : path
}

/** Returns the WfError for what importing `file` threw. */
export function failureOf(thrown: unknown, file: string): WfError {
  if (thrown instanceof WfError && thrown.code === 'handler_load_failed') return thrown
  const record = errorRecord(thrown)
  const syntax = syntaxError(record.message)
  if (syntax)
    return loadFailure(
      syntax.where,
      `syntax error: ${syntax.what}`,
      'correct the line, then start again',
      thrown,
    )
  const where = placeOf(record, file)
  const missing = missingModule(record.message)
  if (missing !== null)
    return loadFailure(
      where,
      `it imports ${JSON.stringify(missing)}, which cannot be found`,
      missingHint(missing),
      thrown,
    )
  const what = `it threw while it was loading: ${record.name === 'Error' ? '' : `${record.name}: `}${record.message.split('\n')[0]}`
  return loadFailure(
    where,
    what,
    'a handler module only defines handlers: keep what can fail inside run',
    thrown,
  )
}

/** Parses the transpiler's form: `ParseError: Unexpected token \n /path/file.ts:4:2`. */
function syntaxError(message: string): { where: string; what: string } | null {
  const parsed = /^\w*(?:Parse|Syntax)\w*: ([\s\S]*?)\s+(\S[^\n]*:\d+:\d+)\s*$/.exec(message)
  return parsed?.[1] !== undefined && parsed[2] !== undefined
    ? { what: parsed[1].split('\n')[0] ?? '', where: parsed[2] }
    : null
}

function missingModule(message: string): string | null {
  return /^Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1] ?? null
}

function missingHint(name: string): string {
  if (name.startsWith('.') || isAbsolute(name)) return 'check the path and its extension'
  if (/^[@~#]\//.test(name))
    return "check the paths of tsconfig.json beside the module, or the package.json's imports"
  const parts = name.split('/')
  return `install it: npm install ${name.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]}`
}

/** Returns the first stack frame outside node_modules and Node.js, else the file. */
function placeOf({ stack }: ErrorRecord, file: string): string {
  for (const line of (stack ?? '').split('\n')) {
    const place = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).+?:\d+:\d+)\)?$/.exec(
      line.trim(),
    )?.[1]
    if (place !== undefined && !/[\\/]node_modules[\\/]|^node:/.test(place)) return pathOf(place)
  }
  return file
}

function pathOf(place: string): string {
  if (!place.startsWith('file://')) return place
  const [, url = place, position = ''] = /^(.*?)(:\d+:\d+)$/.exec(place) ?? []
  return `${fileURLToPath(url)}${position}`
}
