/** How views are drawn: colours, or none, and the space there is. */
import { createPaint, plainPaint, type Paint, type Painter } from '../terminal/paint.ts'
import { Safe, safe } from '../terminal/safe.ts'

export interface ScreenPaint extends Paint {
  /** What is selected; a mark beside it says so too. */
  inverse: Painter
}

export interface Look {
  paint: ScreenPaint
  width: number
  height: number
}

export const plainScreenPaint: ScreenPaint = { ...plainPaint, inverse: safe }

export async function screenPaint(colours: boolean): Promise<ScreenPaint> {
  if (!colours) return plainScreenPaint
  return {
    ...(await createPaint(true)),
    inverse: (value) => new Safe(`\u001b[7m${safe(value).text}\u001b[27m`),
  }
}
