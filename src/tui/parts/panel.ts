/** A box with a title, which lies over what is behind it. */
import { Safe, say, type Shown } from '../../terminal/safe.ts'
import { cutLine, sized, widthOf } from './line.ts'

const widest = 110

/** As wide as the screen, up to a width that can still be read. */
export function panel(title: Shown, lines: readonly Safe[], width: number): readonly Safe[] {
  const whole = Math.min(width, widest)
  const inner = Math.max(0, whole - 4)
  const name = cutLine(say` ${title} `, Math.max(0, inner))
  const rule = (count: number) => new Safe('─'.repeat(Math.max(0, count)))
  return [
    say`┌─${name}${rule(whole - 3 - widthOf(name))}┐`,
    ...lines.map((line) => say`│ ${sized(line, inner)} │`),
    say`└${rule(whole - 2)}┘`,
  ]
}

/** The panel's lines in place of those behind it, from the top. */
export function over(behind: readonly Safe[], front: readonly Safe[]): readonly Safe[] {
  return behind.map((line, index) => front[index] ?? line)
}
