/**
 * `wf triage` on a terminal: one cause after the other, the worst first, and a key for what is to be done about it. What was done is
 * told before the next cause comes. It decides nothing by itself, and leaves at any moment with everything done as it was said.
 */
import type { Cause } from '../../domain/cause.ts'
import { inspectCause, type InspectedCause } from '../../engine/causes.ts'
import { createInspector } from '../../engine/inspector.ts'
import { causeLines } from '../../views/cause-view.ts'
import { describeError, toWfError } from '../errors.ts'
import { incidentOf, incidentPage } from '../../views/incident-page.ts'
import type { Output } from '../../terminal/output.ts'
import { joined, say } from '../../terminal/safe.ts'
import { counted, thousands } from '../../terminal/time.ts'
import { editAndResolve, resolveCause, setAside, type Triage } from './triage-actions.ts'

const help = [
  ['s', 'show one'],
  ['r', 'resolve'],
  ['e', 'edit variables, then resolve'],
  ['a', 'set aside'],
  ['n', 'next'],
  ['q', 'quit'],
] as const

type Key = (typeof help)[number][0]

export async function triage(parts: Triage): Promise<void> {
  const { output, selector, suffix } = parts
  const { reader } = parts.actions.engine
  const passed = new Set<string>()
  for (let isFirst = true; ; isFirst = false) {
    const causes = await reader.causes(selector, reader.now())
    const cause = causes.find(({ fingerprint }) => !passed.has(fingerprint))
    if (cause === undefined) return tellEnd(parts, causes, isFirst)
    const now = reader.now()
    const inspected = await inspectCause(reader, cause, now)
    const open = causes.reduce((sum, { count }) => sum + count, 0)
    const { paint, width } = output
    output.print(
      say``,
      say`${paint.dim(say`${counted(open, 'open incident')} of ${counted(causes.length, 'cause')}; the worst of those left:`)}`,
    )
    output.print(...causeLines(inspected, { paint, width, now, selector, suffix }))
    const next = await actOn(parts, inspected)
    if (next === 'quit') return tellEnd(parts, await reader.causes(selector, reader.now()), false)
    if (next === 'pass') passed.add(cause.fingerprint)
  }
}

/** `pass`: it is not shown again. `again`: something was done, and what is left of it comes again. */
async function actOn(parts: Triage, cause: InspectedCause): Promise<'quit' | 'pass' | 'again'> {
  const { output, keyboard } = parts
  const show = memberViewer(parts, cause)
  for (;;) {
    output.print(say`${keysLine(output)}`)
    const key = (await keyboard.key()) as Key | null
    try {
      if (key === null) return 'quit'
      if (key === 's') await show()
      const next = await nextAfter(key, parts, cause)
      if (next !== null) return next
    } catch (error) {
      describeError(toWfError(error, 'triage'), output)
    }
  }
}

/** Null: the cause stays. */
async function nextAfter(
  key: Key,
  parts: Triage,
  cause: InspectedCause,
): Promise<'quit' | 'pass' | 'again' | null> {
  switch (key) {
    case 'q':
      return 'quit'
    case 'n':
      return 'pass'
    case 'r':
      return (await resolveCause(parts, cause, [])) ? 'again' : null
    case 'e':
      return (await editAndResolve(parts, cause)) ? 'again' : null
    case 'a':
      return (await setAside(parts, cause)) ? 'pass' : null
    default:
      return null
  }
}

function keysLine({ paint }: Output) {
  return joined(
    help.map(([key, words]) => say`${paint.bold(key)} ${paint.dim(words)}`),
    '   ',
  )
}

/** One of its jobs after the other: the newest first, then the older ones of the sample. */
function memberViewer({ actions, output, suffix }: Triage, cause: Cause): () => Promise<void> {
  const { reader } = actions.engine
  const inspector = createInspector(reader, reader.now)
  let index = 0
  return async () => {
    const key = cause.sampleKeys[index % cause.sampleKeys.length]
    index += 1
    const detail = key === undefined ? null : await inspector.job(key)
    const incident = detail && incidentOf(detail)
    if (!detail || !incident) return output.print(say`the job is not kept any more`)
    const { paint, width } = output
    output.print(
      say``,
      ...incidentPage({ incident, detail }, { paint, width, now: reader.now(), full: false, suffix }),
    )
    output.print(say``, say`${paint.dim(say`one of ${thousands(cause.count)}; s shows another`)}`)
  }
}

function tellEnd({ output }: Triage, causes: readonly Cause[], isFirst: boolean): void {
  const open = causes.reduce((sum, { count }) => sum + count, 0)
  if (isFirst && open === 0) return output.print(say`no open incidents`)
  output.print(
    say``,
    open === 0
      ? say`no open incidents are left`
      : say`${counted(open, 'open incident')} of ${counted(causes.length, 'cause')} left`,
  )
}
