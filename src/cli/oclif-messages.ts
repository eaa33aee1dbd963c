/** Translates error messages of the framework. */

const translations: readonly (readonly [RegExp, string])[] = [
  [/--([\w-]+)(?:=.*)? cannot also be provided when using --([\w-]+)/g, '--$1 cannot be combined with --$2'],
  [
    /all of the following must be provided when using --([\w-]+): (--[\w-]+(?:, --[\w-]+)*)/gi,
    '--$1 needs $2',
  ],
  [
    /one of the following must be provided when using --([\w-]+): (--[\w-]+(?:, --[\w-]+)*)/gi,
    '--$1 needs one of $2',
  ],
  [
    /(?:exactly|at least) one of the following must be provided: (--[\w-]+(?:, --[\w-]+)*)/gi,
    'one of $1 is required',
  ],
  [/missing required flag ([\w-]+)/gi, '--$1 is missing'],
  [/flag --([\w-]+) expects a value/gi, '--$1 needs a value'],
  [/flag --([\w-]+) can only be specified once/gi, '--$1 is given twice'],
]

/** Returns one line without the framework's decoration; a conflict that is reported from both sides once. */
export function framedWords(message: string): string {
  const complaints = message
    .replace(/\nSee more help with --help/g, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/[\s\S]*Parsing --\S+ \n\t/, '')
    // The framework colours these by its own rules.
    .replace(/\u001b\[[\d;]*m/g, '')
    .trim()
    .split(/\s*\n\s*/)
    .map((complaint) =>
      lowerFirst(translations.reduce((text, [pattern, words]) => text.replace(pattern, words), complaint)),
    )
  return complaints
    .filter(
      (complaint, index) => complaints.findIndex((other) => sides(other) === sides(complaint)) === index,
    )
    .join('; ')
}

const sides = (complaint: string) => complaint.split(' ').sort().join(' ')

const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text
