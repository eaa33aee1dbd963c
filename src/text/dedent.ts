/** Template for descriptions: lines of a paragraph are one line, so that help can wrap them to any terminal. */
export function prose(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts
    .reduce((text, part, index) => `${text}${values[index - 1] ?? ''}${part}`)
    .trim()
    .replace(/[^\S\n]*\n[^\S\n]*(?!\n)/g, '\n')
    .replace(/(?<!\n)\n(?!\n)/g, ' ')
}
