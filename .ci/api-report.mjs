// The public declarations of an entry of the package as one text: what it exports and every type that those mention,
// without comments, sorted by name. Checked in under api/, so that a change of the interface shows in a diff.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const begins = /^(?:export|import|declare|abstract|class|const|function|interface|type|enum|let)\b/
const named = /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) ([\w$]+)/
const imported = /^(import|export) (?:type )?\{([^}]*)\} from ['"](\.[^'"]+)['"]/

/** Texts of the .d.ts files that tsc has written for `entries`, by file; a later one leaves out what an earlier one has. */
export function apiReports(entries) {
  const earlier = new Set()
  return entries.map((entry) => {
    const found = [...declarationsFrom(entry)].filter(([id]) => !earlier.has(id))
    for (const [id] of found) earlier.add(id)
    const sorted = found
      .map(([, declaration]) => declaration)
      .sort((a, b) => order(a.name, b.name) || order(a.text, b.text))
    return `${sorted.map(({ text }) => text).join('\n\n')}\n`
  })
}

function declarationsFrom(entry) {
  const files = new Map()
  const read = (file) => {
    if (!files.has(file)) files.set(file, parse(file))
    return files.get(file)
  }
  const found = new Map()
  const visit = (file, name, isPublic = false) => {
    const { declared, links } = read(file)
    const link = links.get(name)
    const text = declared.get(name)
    if (text === undefined) return link && visit(link.file, link.name, isPublic)
    const id = `${file} ${name}`
    const known = found.has(id)
    if (!known || isPublic) found.set(id, { name, text: isPublic ? text : text.replace(/^export /, '') })
    if (known) return
    for (const word of new Set(text.match(/[\w$]+/g))) if (word !== name) visit(file, word)
    for (const [, path, member] of text.matchAll(/import\(["'](\.[^"']+)["']\)\.([\w$]+)/g))
      visit(declarationsOf(file, path), member)
  }
  for (const { name, file } of read(entry).exported) visit(file, name, true)
  return found
}

/** The declarations of a file by name, and what it takes from other files. */
function parse(file) {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\/\/.*$/gm, '')
  const declared = new Map()
  const links = new Map()
  const exported = []
  for (const statement of statementsOf(text)) {
    const [, kind, names = '', path] = imported.exec(statement) ?? []
    for (const each of path === undefined ? [] : names.split(',')) {
      const [name = '', local = name] = each
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      const link = { file: declarationsOf(file, path), name }
      if (name === '') continue
      if (kind === 'export') exported.push(link)
      links.set(local, link)
    }
    const name = named.exec(statement)?.[1]
    if (name !== undefined)
      declared.set(name, declared.has(name) ? `${declared.get(name)}\n${statement}` : statement)
  }
  return { declared, links, exported }
}

/** tsc begins each statement at the margin; what else stands there (`}`, `} | {`) goes on with the one before. */
function statementsOf(text) {
  const statements = []
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    if (begins.test(line)) statements.push(line)
    else if (statements.length > 0) statements.push(`${statements.pop()}\n${line}`)
  }
  return statements
}

function declarationsOf(from, path) {
  return join(dirname(from), path.replace(/\.(?:tsx?|js)$/, '.d.ts'))
}

function order(a, b) {
  if (a === b) return 0
  return a < b ? -1 : 1
}
