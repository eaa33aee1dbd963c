/** Colours for what has been made safe. Without colours every painter hands its text back; chalk is not even loaded. */
import { Safe, safe, type Shown } from './safe.ts'

export type Painter = (value: Shown) => Safe

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export type Paint = Readonly<Record<Tone, Painter>>

export const plainPaint: Paint = { bold: safe, dim: safe, red: safe, green: safe, yellow: safe, cyan: safe }

export async function createPaint(colours: boolean): Promise<Paint> {
  if (!colours) return plainPaint
  const { Chalk } = await import('chalk')
  // The sixteen colours follow the reader's own theme; more would fight it.
  const chalk = new Chalk({ level: 1 })
  const painter =
    (tone: Tone): Painter =>
    (value) =>
      new Safe(chalk[tone](safe(value).text))
  return {
    bold: painter('bold'),
    dim: painter('dim'),
    red: painter('red'),
    green: painter('green'),
    yellow: painter('yellow'),
    cyan: painter('cyan'),
  }
}
