/**
 * What a command says: data to standard output, words about it to standard error. With --json standard output is exactly
 * one document, so every other word goes elsewhere or nowhere. Knows nothing of jobs and stores.
 */
import { wantsColour } from './colour.ts'
import { jsonText } from './json.ts'
import { createPaint, type Paint } from './paint.ts'
import type { Revealing, Safe } from './safe.ts'
import type { Sink, Sinks } from './streams.ts'

export interface Output {
  readonly json: boolean
  /** Whether standard output gets colours. */
  readonly colours: boolean
  /** Colours as standard output gets them. */
  readonly paint: Paint
  /** Colours as standard error gets them. */
  readonly errPaint: Paint
  /** Columns that a line may fill; null where nothing is to be cut. */
  readonly width: number | null
  readonly out: Sink
  readonly err: Sink
  /** Data for people; nothing when --json is on. */
  print(...lines: readonly Safe[]): void
  /** Words for people on standard error; nothing when --json is on. */
  note(...lines: readonly Safe[]): void
  /** The one document; only when --json is on. */
  document(value: unknown, revealing?: Revealing): void
}

export interface OutputOptions {
  sinks: Sinks
  env: Readonly<Record<string, string | undefined>>
  json: boolean
  noColour: boolean
}

export async function createOutput({ sinks, env, json, noColour }: OutputOptions): Promise<Output> {
  const { out, err } = sinks
  const coloured = (sink: Sink) => !json && wantsColour({ env, isTTY: sink.isTTY, refused: noColour })
  const colours = coloured(out)
  const [paint, errPaint] = await Promise.all([createPaint(colours), createPaint(coloured(err))])
  const write = (sink: Sink, lines: readonly Safe[]) => {
    if (!json && lines.length > 0) sink.write(`${lines.map((line) => line.text).join('\n')}\n`)
  }
  return {
    json,
    colours,
    paint,
    errPaint,
    width: out.columns,
    out,
    err,
    print: (...lines) => write(out, lines),
    note: (...lines) => write(err, lines),
    document(value, revealing) {
      if (json) out.write(jsonText(value, revealing))
    },
  }
}
