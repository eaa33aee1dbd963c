/** Asking a person, where there is one. */
import { createInterface } from 'node:readline/promises'
import type { Output } from './output.ts'
import type { Safe } from './safe.ts'

/** A question needs somebody who can read it and somebody who can answer. */
export function canAsk(output: Output): boolean {
  return !output.json && output.err.isTTY && process.stdin.isTTY === true
}

/** True for y and yes; an empty answer, an end of input and all else is no. */
export async function confirm(question: Safe): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    const answer = await Promise.race([lines.question(`${question.text} [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
