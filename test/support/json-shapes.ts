/** What docs/json.md says of every document, and how a document is held against it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './cli.ts'

interface Row {
  /** `items[].job`; `.` for the document itself. */
  path: string
  optional: boolean
  /** Name of the shape that stands there. */
  shape: string | null
}

export type Sections = ReadonlyMap<string, readonly Row[]>

/** Rows by the title of their section: `Job`, `wf jobs list`. */
export function documented(): Sections {
  const page = readFileSync(join(root, 'docs/json.md'), 'utf8')
  const sections = page.split(/^### /m).slice(1)
  return new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')).trim(), rowsIn(section)]))
}

function rowsIn(section: string): readonly Row[] {
  return [...section.matchAll(/^\| `([^`]+)` \|\s*(.*?)\s*\|$/gm)].map(([, name = '', meaning = '']) => ({
    path: name.replace(/\?$/, ''),
    optional: name.endsWith('?'),
    shape: /^\[(\w+)\]/.exec(meaning)?.[1] ?? null,
  }))
}

interface Member {
  optional: boolean
  members: Members | null
}
type Members = Map<string, Member>

/** As a tree: `[]` is a member like any other. */
function treeOf(rows: readonly Row[], sections: Sections): Members {
  const tree: Members = new Map()
  for (const { path, optional, shape } of rows) {
    const steps = path === '.' ? [] : path.replaceAll('[]', '.[]').split('.')
    let members = tree
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1
      const member = members.get(step) ?? { optional: isLast && optional, members: null }
      if (isLast && optional) member.optional = true
      members.set(step, member)
      if (!isLast || shape !== null) member.members ??= new Map()
      members = member.members ?? new Map()
    }
    if (shape === null) continue
    for (const [name, member] of treeOf(sections.get(shape) ?? [], sections))
      if (!members.has(name)) members.set(name, member)
  }
  return tree
}

/** Sentences about what differs; none when the document is as it is described. */
export function differences(value: unknown, section: string, sections: Sections): readonly string[] {
  return compare(value, treeOf(sections.get(section) ?? [], sections), section)
}

function compare(value: unknown, members: Members, at: string): readonly string[] {
  if (value === null || value === undefined) return []
  const each = members.get('[]')
  if (each) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    return each.members ? value.flatMap((item) => compare(item, each.members ?? new Map(), `${at}[]`)) : []
  }
  if (typeof value !== 'object' || Array.isArray(value)) return [`${at} is no object`]
  const missing = [...members].flatMap(([name, { optional }]) =>
    optional || name in value ? [] : [`${at}.${name} is documented and not there`],
  )
  const found = Object.entries(value).flatMap(([name, member]) => {
    const known = members.get(name)
    if (!known) return [`${at}.${name} is there and not documented`]
    return known.members ? compare(member, known.members, `${at}.${name}`) : []
  })
  return [...missing, ...found]
}
