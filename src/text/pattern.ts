/**
 * Regular expressions from anybody for any text: RE2's, whose time is linear in the text. The engine is large, so it is
 * loaded only once a pattern is there.
 */
import type { RE2JS } from 're2js'
import { WfError } from '../errors.ts'
import { preview } from './preview.ts'

const longestPattern = 500
/** Bounds what one character of text can cost. */
const mostSteps = 500

let engine: typeof RE2JS | null = null

/** Thrown by `compilePattern` before the engine is loaded: `withPatterns` loads it and calls again. */
class EngineMissing extends Error {}

export async function loadPatterns(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/** Calls `work`, and once more if it needs the pattern engine. */
export async function withPatterns<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EngineMissing)) throw error
    await loadPatterns()
    return work()
  }
}

/** Returns a test for a part of a text that matches. Throws WfError `usage`. */
export function compilePattern(source: string, ignoreCase = false): (text: string) => boolean {
  if (source.length > longestPattern)
    throw new WfError('usage', `the pattern has more than ${longestPattern} characters`)
  if (engine === null) throw new EngineMissing('the pattern engine is not loaded')
  const compiled = compile(engine, source, ignoreCase)
  if (compiled.programSize() > mostSteps)
    throw new WfError('usage', `the pattern comes to more than ${mostSteps} steps`, {
      hint: 'shorten it, or repeat less: x{200} counts 200 times',
    })
  return (text) => compiled.test(text)
}

/** What RE2 leaves out, because no engine can do it in linear time: look-around and back-references. */
const unsupported = /^(?:[^\\(]|\\[^1-9k]|\((?!\?<?[=!]))*(\(\?<?[=!]|\\[1-9]|\\k<)/

function compile(re2: typeof RE2JS, source: string, ignoreCase: boolean): RE2JS {
  const [, found] = unsupported.exec(source) ?? []
  if (found !== undefined)
    throw new WfError('usage', `patterns have no look-around and no back-references (found ${found})`, {
      hint: 'use groups, |, classes, *, +, ?, {n,m}, ^, $ and \\b; such patterns never take long',
    })
  try {
    return re2.compile(re2.translateRegExp(source), ignoreCase ? re2.CASE_INSENSITIVE : 0)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'unreadable'
    throw new WfError('usage', `/${preview(source, 80).slice(1, -1)}/ is not a regular expression: ${why}`, {
      hint: 'without the slashes it is searched for as it stands',
    })
  }
}
