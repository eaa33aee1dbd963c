/** Colours for safe text. Without colours every painter returns its text unchanged, and chalk isn't loaded. */
import { Safe, safe, type Shown } from './safe.ts'

export type Painter = (value: Shown) => Safe

const tones = ['bold', 'dim', 'inverse', 'red', 'green', 'yellow', 'cyan'] as const

export type Tone = (typeof tones)[number]

export type Paint = Readonly<Record<Tone, Painter>>

const paintOf = (painter: (tone: Tone) => Painter): Paint =>
  Object.fromEntries(tones.map((tone) => [tone, painter(tone)])) as Paint

export const plainPaint = paintOf(() => safe)

export async function createPaint(colours: boolean): Promise<Paint> {
  if (!colours) return plainPaint
  const { Chalk } = await import('chalk')
  // The sixteen colours follow the terminal's theme.
  const chalk = new Chalk({ level: 1 })
  return paintOf((tone) => (value) => new Safe(chalk[tone](safe(value).text)))
}
