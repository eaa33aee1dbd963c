/** Texts that begin alike, cut so that where they differ stays in view. */
import { truncate, displayWidth } from './width.ts'

/** Of the width, what the common beginning keeps. */
const headShare = 0.35
/** Narrower than that there is nothing to divide. */
const leastWidth = 8
/** Further back than that no word begins whose start would be worth it. */
const longestWord = 16

/** Each at most `width` columns, in the same order. What fits, and what differs within the width anyway, is cut at its end as everywhere. */
export function distinctCuts(texts: readonly string[], width: number): readonly string[] {
  const plain = texts.map((text) => truncate(text, width))
  if (width < leastWidth) return plain
  const alike = new Map<string, Set<string>>()
  texts.forEach((text, index) => {
    const cut = plain[index] ?? ''
    if (cut !== text) alike.set(cut, (alike.get(cut) ?? new Set()).add(text))
  })
  return texts.map((text, index) => {
    const group = alike.get(plain[index] ?? '')
    return group?.has(text) && group.size > 1
      ? cutAround(text, differsAt(text, group), width)
      : (plain[index] ?? '')
  })
}

/** Where it has left the last of the others. */
function differsAt(text: string, group: ReadonlySet<string>): number {
  let most = 0
  for (const other of group) {
    if (other === text) continue
    let at = 0
    while (at < text.length && text[at] === other[at]) at += 1
    most = Math.max(most, at)
  }
  return most
}

function cutAround(text: string, at: number, width: number): string {
  const head = truncate(text, Math.floor(width * headShare))
  const room = width - displayWidth(head)
  const word = text.lastIndexOf(' ', at) + 1
  let start = at - word <= longestWord ? word : at
  // The end of it is short: more of what stands before it.
  while (start > head.length && displayWidth(text.slice(start - 1)) <= room) start -= 1
  if (isLowSurrogate(text, start)) start += 1
  return `${head}${truncate(text.slice(start), room)}`
}

const isLowSurrogate = (text: string, at: number) => /[\udc00-\udfff]/.test(text[at] ?? '')
