/** Shared by the breaker commands. */
import { Args } from '@oclif/core'
import { breakerNameCharacters } from '../../domain/breaker-row.ts'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { inspectBreaker, type InspectedBreaker, type Steered } from '../../engine/breaker-admin.ts'
import type { Reader } from '../../engine/engine.ts'
import { BaseCommand } from '../base-command.ts'
import { iso } from '../../terminal/json.ts'
import { madeDocument, operationLine } from '../output/operation-line.ts'
import { say } from '../../terminal/safe.ts'
import { relative } from '../../terminal/time.ts'
import { readText } from '../../text/parse-input.ts'

export const breakerArg = () =>
  Args.custom<string>({ parse: async (text) => readText(text, 'the breaker', breakerNameCharacters) })({
    description: 'name of the dependency',
    required: true,
    ignoreStdin: true,
  })

/** Returns the shared breakers that were ever opened, in their state now. */
export async function inspectedBreakers(store: Reader): Promise<readonly InspectedBreaker[]> {
  const [rows, types] = [await store.breakers(), await store.types(store.now())]
  return rows.map((row) => inspectBreaker(row, types, store.now()))
}

/** Returns the names that workers declare or that were ever opened, sorted. */
export async function knownBreakers(store: Reader): Promise<readonly string[]> {
  const [rows, types] = [await store.breakers(), await store.types(store.now())]
  return [
    ...new Set([
      ...rows.map(({ name }) => name),
      ...types.flatMap(({ declaration }) => declaration?.breakers ?? []),
    ]),
  ].sort()
}

export function noSuchBreaker(name: string, known: readonly string[], location: string): WfError {
  const near = nearWords([name], known)
  const hint = didYouMean(
    near,
    near.length > 0 ? '' : 'run "wf breakers list" to see the breakers that were opened',
  )
  return new WfError('not_found', `the breaker ${preview(name, 60)} has never been opened in ${location}`, {
    hint,
  })
}

export abstract class BreakersChange extends BaseCommand {
  protected report(name: string, { changed, breaker, operation }: Steered, done: 'opened' | 'closed'): void {
    const untilAt = done === 'opened' ? (breaker?.expiresAt ?? null) : null
    const verb = done === 'opened' ? 'trip' : 'close'
    const made =
      operation === null
        ? null
        : ({ id: operation, verb, changed: changed ? 1 : 0, suffix: this.storeSuffix } as const)
    const sum = { matched: 1, changed: changed ? 1 : 0, skipped: changed ? 0 : 1, failed: 0 }
    this.output.document({
      ...sum,
      ...madeDocument(made),
      items: [
        {
          name,
          status: changed ? 'changed' : 'skipped',
          mode: breaker?.mode ?? 'closed',
          openUntil: iso(untilAt),
        },
      ],
    })
    const { green, red, dim } = this.output.paint
    if (!changed) return this.output.print(say`${dim('skipped')} ${name}  already closed`)
    const until =
      untilAt === null ? say`` : say`  ${dim(say`until ${iso(untilAt)}, ${relative(untilAt, this.now())}`)}`
    this.output.print(say`${(done === 'opened' ? red : green)(done)} ${name}${until}`)
    if (made) this.output.print(operationLine(made, this.output.paint))
  }
}
