/** What `wf triage` does about a cause: asked for first, with a count and what would hold it, and told afterwards. */
import type { Selector } from '../../domain/selector.ts'
import type { ActionContext } from '../../engine/actions/action.ts'
import type { Keyboard } from '../../terminal/keyboard.ts'
import type { Output } from '../../terminal/output.ts'
import { WfError } from '../../errors.ts'
import { guardedBecause, skippedBecause } from '../../messages/incident-messages.ts'
import { limits } from '../../domain/job.ts'
import type { VariableChange } from '../../domain/resolution.ts'
import { setVariables } from '../../domain/set-variable.ts'
import { quoted } from '../../text/shell-words.ts'
import type { InspectedCause } from '../../engine/causes.ts'
import { planJobs } from '../../engine/actions/change-jobs.ts'
import { impactOf } from '../../engine/actions/impact.ts'
import type { Target } from '../../engine/actions/targets.ts'
import { applyPause } from '../../engine/actions/types.ts'
import { describeError, toWfError } from '../errors.ts'
import { readable } from '../../views/history-messages.ts'
import { heldWords } from '../changes/impact.ts'
import { iso } from '../../terminal/json.ts'
import { operationLine } from '../output/operation-line.ts'
import { joined, say } from '../../terminal/safe.ts'
import { jsonLines } from '../../views/sections.ts'
import { readSet } from '../input/set-values.ts'
import { counted, relative, thousands } from '../../terminal/time.ts'
import { readDuration, readInteger } from '../../text/parse-input.ts'
import { changeVerified } from '../changes/verified-change.ts'

export interface Triage {
  actions: ActionContext
  output: Output
  keyboard: Keyboard
  selector: Selector
  /** Behind commands: names the store where it is not the usual one. */
  suffix: string
}

const usualRetries = 3
const canaries = 3
const canaryMs = 120_000
/** Long enough to see most jobs through, short enough to stay with the matter. */
const lookMs = 10_000

/** False when nothing was done. */
export async function resolveCause(
  parts: Triage,
  cause: InspectedCause,
  set: readonly VariableChange[],
): Promise<boolean> {
  const { actions, output, keyboard, suffix } = parts
  const retries = await ask(
    parts,
    `executions to give each, 1 to ${thousands(limits.retries)} [${usualRetries}]:`,
    (text) =>
      text.trim() === ''
        ? usualRetries
        : readInteger(text.trim(), 'the number', { min: 1, max: limits.retries }),
  )
  if (retries === null) return nothing(parts)
  const selector = {
    ...parts.selector,
    fingerprints: [cause.fingerprint],
    incidentKinds: cause.kinds.map(({ kind }) => kind),
  }
  const change = { verb: 'resolve' as const, retries, reason: null, ...(set.length === 0 ? {} : { set }) }
  const plan = await planJobs(actions.engine.reader, { change, list: 'incidents', selector })
  const { targets } = plan
  const { yellow, bold } = output.paint
  const harms = cause.kinds.flatMap(({ kind }) =>
    guardedBecause[kind] === undefined ? [] : [say`${yellow(kind)}: ${guardedBecause[kind] ?? ''}`],
  )
  const held = heldWords(await impactOf(actions.engine, targets), output.paint)
  const changed =
    set.length === 0
      ? say``
      : say`, ${joined(
          set.map(({ path }) => path),
          ', ',
        )} changed first`
  output.print(
    say`${counted(targets.length, 'job')} would be resolved, ${counted(retries, 'execution')} each${changed}`,
    ...harms,
    ...held,
  )
  const first =
    targets.length > canaries
      ? say`   ${bold('c')} ${canaries} first, the others when those came through`
      : say``
  output.print(say`${bold('y')} all of them${first}   ${bold('n')} no`)
  const key = await keyboard.key()
  if (key !== 'y' && !(key === 'c' && targets.length > canaries)) return nothing(parts)
  const canary = key === 'c' ? canaries : null
  const whySkipped = ({ kind }: Target) => skippedBecause(kind, 'its key')
  const verify = { canary, verifyMs: canary === null ? lookMs : canaryMs, whySkipped }
  await keyboard.aside(() => changeVerified({ output, actions, suffix }, plan, verify))
  return true
}

/** Changes are tried on one of its jobs before they are made on all. */
export async function editAndResolve(parts: Triage, cause: InspectedCause): Promise<boolean> {
  const { actions, output, keyboard } = parts
  const detail = await actions.engine.reader.job(cause.sampleKeys[0] ?? 0)
  if (!detail) throw new WfError('not_found', 'the job is not kept any more')
  const { paint } = output
  output.print(
    say`${paint.bold(say`variables of job ${detail.job.key}`)}`,
    ...jsonLines(readable(detail.variables), { full: false, paint }),
  )
  const set: VariableChange[] = []
  for (;;) {
    const text = await keyboard.line(say`set path=value (an empty line is the end):`)
    if (text === null) return nothing(parts)
    if (text.trim() === '') break
    const change = await tried(parts, { text, before: set, variables: detail.variables })
    if (change) set.push(change)
  }
  return set.length === 0 ? nothing(parts) : resolveCause(parts, cause, set)
}

interface Try {
  text: string
  before: readonly VariableChange[]
  variables: string
}

async function tried(
  { actions, output, keyboard }: Triage,
  { text, before, variables }: Try,
): Promise<VariableChange | null> {
  const attempt = (change: VariableChange) => {
    setVariables(variables, [...before, change], actions.engine.sizes.variablesBytes)
    return change
  }
  let change: VariableChange | null = null
  try {
    change = { ...readSet(text, 'set'), add: false }
    return attempt(change)
  } catch (error) {
    const refused = toWfError(error, 'triage')
    if (change === null || !isAddable(attempt, change)) {
      describeError(refused, output)
      return null
    }
    output.print(
      say`${refused.message}: create it? ${output.paint.bold('y')} yes   ${output.paint.bold('n')} no`,
    )
    return (await keyboard.key()) === 'y' ? { ...change, add: true } : null
  }
}

function isAddable(attempt: (change: VariableChange) => unknown, change: VariableChange): boolean {
  try {
    attempt({ ...change, add: true })
    return true
  } catch {
    return false
  }
}

/**
 * A stopped job waits by itself and harms nobody; what does harm is that others of its type run into the same cause. So the type
 * is paused, which can be taken back, and nothing is discarded, which could not.
 */
export async function setAside(parts: Triage, { type, sampleKeys }: InspectedCause): Promise<boolean> {
  const { actions, output, keyboard, suffix } = parts
  const { reader } = actions.engine
  const view = (await reader.types(reader.now())).find((each) => each.type === type)
  const { available = 0, waiting = 0, running = 0 } = view?.counts ?? {}
  output.print(
    say`${type} would be paused: ${counted(running, 'running job')} may finish, ${counted(available + waiting, 'job')} and all that come wait; what has stopped waits as it is`,
    say`${output.paint.dim(say`to give one up for good: wf jobs cancel ${sampleKeys[0] ?? 'KEY'}${suffix}`)}`,
  )
  const forMs = await ask(parts, 'for how long, such as 30m (nothing: until somebody resumes it):', (text) =>
    text.trim() === '' ? 0 : readDuration(text.trim(), 'the time', { min: 1_000, max: 31 * 86_400_000 }),
  )
  if (forMs === null) return nothing(parts)
  const reason = await keyboard.line(say`why, for the record:`)
  if (reason === null) return nothing(parts)
  output.print(say`${output.paint.bold('y')} pause it   ${output.paint.bold('n')} no`)
  if ((await keyboard.key()) !== 'y') return nothing(parts)
  const untilAt = forMs === 0 ? null : reader.now() + forMs
  const pause = { types: [type], paused: true, reason: reason.trim() || null, untilAt }
  const { changed, operation } = await applyPause(actions, pause)
  const until = untilAt === null ? say`` : say` until ${iso(untilAt)}, ${relative(untilAt, reader.now())}`
  output.print(
    changed.length === 0
      ? say`${type} was paused already`
      : say`${output.paint.green('paused')} ${type}${until}; wf types resume ${quoted(type)}${suffix} ends it`,
    ...(operation ? [operationLine({ ...operation, suffix }, output.paint)] : []),
  )
  return true
}

function nothing({ output }: Triage): false {
  output.print(say`nothing was changed`)
  return false
}

/** Until the answer can be read; null when there is none. */
async function ask<T>(
  { output, keyboard }: Triage,
  question: string,
  read: (text: string) => T,
): Promise<T | null> {
  for (;;) {
    const text = await keyboard.line(say`${question}`)
    if (text === null) return null
    try {
      return read(text)
    } catch (error) {
      describeError(toWfError(error, 'triage'), output)
    }
  }
}
