/** Template for descriptions: lines of a paragraph are one line, so that help can wrap them to any terminal. */
export function prose(parts: TemplateStringsArray): string {
  return parts
    .join('')
    .trim()
    .replace(/[^\S\n]*\n[^\S\n]*(?!\n)/g, '\n')
    .replace(/(?<!\n)\n(?!\n)/g, ' ')
}
