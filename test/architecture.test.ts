/** What the sources must look like whoever writes them: layers, and the few files that may touch time, chance, SQL and heavy modules. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const src = join(root, 'src')

/** An import may only point to an earlier line; the parts of one line do not know each other. */
const levels = [
  ['errors', 'clock', 'random'],
  ['text'],
  ['domain', 'logger'],
  ['resilience', 'store/port'],
  ['store/*', 'engine'],
  ['messages'],
  ['worker', 'metrics', 'workflow'],
  ['config'],
  ['app'],
  ['terminal'],
  ['views'],
  ['cli', 'tui', 'http', 'client', 'start-worker', 'worker-process'],
  ['commands'],
  ['testing', 'index'],
]

const barrels = ['index.ts', 'testing/index.ts']
const heavyModules = ['zod', 'jiti', 'ink', 'react', 'pino', 'pg', 'fastify']
const sql =
  /['"`]\s*(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(TABLE|UNIQUE|INDEX|TRIGGER)\s|PRAGMA\s|BEGIN\s+IMMEDIATE)/i
const time =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\s*\.|\bset(Timeout|Interval)\s*\(|node:timers|node:perf_hooks/
const unfinished = /\bTODO\b|\bFIXME\b|\bXXX\b|\bas any\b|@ts-(ignore|nocheck)|\bnot implemented\b/i

const storeOpeners = [
  ...['app.ts', 'client.ts', 'start-worker.ts', 'cli/base-command.ts', 'cli/run-worker/run.ts'],
  ...['metrics/stats.ts', 'worker/child/child.ts'],
]

/** Opens a store to hand it to an engine or a worker, or adds statistics to it. */
const opensStores = (path: string) => storeOpeners.includes(path) || path.startsWith('testing/')

interface Source {
  /** Relative to src, with slashes. */
  path: string
  text: string
  /** Without comments. */
  code: string
}

const sources = filesUnder(src, /\.tsx?$/).map((file): Source => {
  const text = readFileSync(file, 'utf8')
  return { path: relative(src, file).split('\\').join('/'), text, code: withoutComments(text) }
})

function filesUnder(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function withoutComments(text: string) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|\s)\/\/.*$/gm, '$1')
}

function importsOf({ path, code }: Source) {
  return [
    ...code.matchAll(
      /(?:^|[;\s])(?:import|export)\s(?:[^'"()]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g,
    ),
  ].map((found) => {
    const target = found[1] ?? found[2] ?? ''
    const own = target.startsWith('.')
      ? relative(src, resolve(src, dirname(path), target))
          .split('\\')
          .join('/')
      : null
    return {
      target,
      own,
      dynamic: found[2] !== undefined,
      typesOnly: /^\s*(import|export)\s+type\s/.test(found[0]),
    }
  })
}

/** The part of the map that a file belongs to, and its level. */
function placeOf(path: string) {
  const part = partOf(path)
  return {
    part,
    level: levels.findIndex(
      (parts) => parts.includes(part) || (/^store\/(?!store$)/.test(part) && parts.includes('store/*')),
    ),
  }
}

function partOf(path: string) {
  const bare = path.replace(/\.tsx?$/, '')
  const [folder = '', second = ''] = bare.split('/')
  // What lies in the folder itself is the port.
  if (folder === 'store') return bare.split('/').length === 2 ? 'store/port' : `store/${second}`
  return second ? folder : bare
}

/** `file: what is wrong`, for every file in which `wrong` finds something. */
function faults(wrong: (source: Source) => readonly string[]) {
  return sources.flatMap((source) => wrong(source).map((fault) => `${source.path}: ${fault}`))
}

function linesMatching({ code }: Source, pattern: RegExp) {
  return code
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`line ${index + 1}: ${line.trim()}`] : []))
}

describe('architecture', () => {
  it('sees every way to import, and nothing in comments', () => {
    const text = [
      "import { a } from '../a.ts'",
      "import type { b } from './b.ts'",
      "import {\n  c,\n} from '../store/c.ts'",
      "export { d } from './d.ts'",
      "import 'e'",
      "// import 'no'",
      "/* import 'no' */ const f = await import('zod')",
    ].join('\n')
    const found = importsOf({ path: 'engine/x.ts', text, code: withoutComments(text) })
    expect(found.map(({ target, own, dynamic, typesOnly }) => [own ?? target, dynamic, typesOnly])).toEqual([
      ['a.ts', false, false],
      ['engine/b.ts', false, true],
      ['store/c.ts', false, false],
      ['engine/d.ts', false, false],
      ['e', false, false],
      ['zod', true, false],
    ])
    expect(placeOf('store/sqlite/file/open.ts')).toEqual({
      part: 'store/sqlite',
      level: placeOf('engine/engine.ts').level,
    })
    expect(placeOf('store/port.ts').level).toBeLessThan(placeOf('store/sqlite/file/open.ts').level)
    expect(placeOf('stray.ts').level).toBe(-1)
  })

  it('has a place on the map for every file', () => {
    expect(faults(({ path }) => (placeOf(path).level < 0 ? ['stands on no level of the map'] : []))).toEqual(
      [],
    )
  })

  it('lets an import only point left', () => {
    const wrong = faults((source) => {
      const from = placeOf(source.path)
      return importsOf(source).flatMap(({ own }) => {
        if (own === null) return []
        const to = placeOf(own)
        return to.part === from.part || to.level < from.level ? [] : [`imports ${own}`]
      })
    })
    expect(wrong).toEqual([])
  })

  it('has no circle of imports, types included', () => {
    const next = new Map(
      sources.map((source) => [
        source.path,
        importsOf(source).flatMap(({ own, dynamic }) => (own && !dynamic ? [own] : [])),
      ]),
    )
    const leadsBack = (start: string) => {
      const seen = new Set<string>()
      const open = [...(next.get(start) ?? [])]
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        if (path === start) return true
        if (seen.has(path)) continue
        seen.add(path)
        open.push(...(next.get(path) ?? []))
      }
      return false
    }
    expect(sources.map(({ path }) => path).filter(leadsBack)).toEqual([])
  })

  it('names a concrete store in app.ts alone', () => {
    const wrong = faults((source) =>
      placeOf(source.path).part.startsWith('store/') || source.path === 'app.ts'
        ? []
        : importsOf(source).flatMap(({ own }) =>
            own && /^store\/[^/]+\//.test(own) ? [`imports ${own}`] : [],
          ),
    )
    expect(wrong).toEqual([])
  })

  it('keeps the domain pure: no await, no clock, no I/O', () => {
    const wrong = faults((source) => {
      if (placeOf(source.path).part !== 'domain') return []
      const outside = importsOf(source).filter(
        ({ own, target }) => own === null && !['node:crypto', 'node:buffer'].includes(target),
      )
      return [
        ...outside.map(({ target }) => `imports ${target}`),
        ...linesMatching(source, /\basync\s|^\s*await\s|\bprocess\./),
      ]
    })
    expect(wrong).toEqual([])
  })

  it('keeps plans pure: facts in, changes out, no store and no await', () => {
    const allowed = /^(domain|text|engine\/plans)\/|^errors\.ts$|^store\/plan\.ts$/
    const wrong = faults((source) => {
      if (!source.path.startsWith('engine/plans/')) return []
      const outside = importsOf(source).filter(
        ({ own, typesOnly }) =>
          own === null ||
          !(allowed.test(own) || /^store\/facts\.ts$/.test(own) || (typesOnly && /^store\/[^/]+$/.test(own))),
      )
      return [
        ...outside.map(({ target }) => `imports ${target}`),
        ...linesMatching(source, /\basync\s|\bawait\s|\bPromise\b|\bprocess\./),
      ]
    })
    expect(wrong).toEqual([])
  })

  it('lets plans alone write history and targets', () => {
    const wrong = faults((source) =>
      /^(engine\/plans\/|store\/(changes|event)\.ts$|store\/[^/]+\/(transact\.ts|rows\/))/.test(source.path)
        ? []
        : linesMatching(source, /\bhistory\.add\b|\baddTarget\(|^\s*history: \[|\bNewHistoryRow\b/),
    )
    expect(wrong).toEqual([])
  })

  it('keeps policy out of the rows of a store, writes out of its queries, and fences in its hot path', () => {
    const wrong = faults((source) => {
      const [, room] = /^store\/[^/]+\/(rows|queries|hot|file)\//.exec(source.path) ?? []
      if (room === undefined) return []
      const policy = importsOf(source)
        .filter(({ own, typesOnly }) => !typesOnly && own !== null && /^(domain\/|errors\.ts)/.test(own))
        .map(({ target }) => `imports ${target}`)
      return [
        ...(room === 'rows' ? policy : []),
        ...(room === 'queries' ? linesMatching(source, /\bINSERT\s|\bUPDATE\s|\bDELETE\s+FROM\b/) : []),
        ...(room === 'hot' ? [] : linesMatching(source, /attempt = \? AND worker_id = \?/)),
      ]
    })
    expect(wrong).toEqual([])
  })

  it('writes to a store only through the engine', () => {
    const writable = /^import type \{[^}]*\bStore(Writer)?\b[^}]*\} from '[^']*store\/port\.ts'/m
    const wrong = faults((source) => {
      const { part } = placeOf(source.path)
      if (part === 'engine' || part.startsWith('store/')) return []
      return [
        ...(writable.test(source.code) && !opensStores(source.path) ? ['takes a writable store'] : []),
        ...importsOf(source).flatMap(({ own }) =>
          own?.startsWith('engine/plans/') ? [`imports ${own}`] : [],
        ),
        ...linesMatching(source, /\bengine\.store\b|\{ store\b.*\} = .*engine\b|\[writer\]/),
      ]
    })
    expect(wrong).toEqual([])
  })

  it('writes SQL only in the stores', () => {
    expect(
      faults((source) => (/^store\/[^/]+\//.test(source.path) ? [] : linesMatching(source, sql))),
    ).toEqual([])
  })

  it('reads the time and sets timers only in clock.ts', () => {
    expect(faults((source) => (source.path === 'clock.ts' ? [] : linesMatching(source, time)))).toEqual([])
  })

  it('draws chance only in random.ts', () => {
    expect(
      faults((source) => (source.path === 'random.ts' ? [] : linesMatching(source, /Math\.random/))),
    ).toEqual([])
  })

  it('has no barrels but the public entries', () => {
    const wrong = faults((source) =>
      barrels.includes(source.path)
        ? []
        : linesMatching(source, /^\s*export\s+(type\s+)?(\*|\{[^}]*\})\s*(as\s+\w+\s+)?from\s/),
    )
    expect(wrong).toEqual([])
  })

  it('loads heavy modules only where they are used, by a dynamic import', () => {
    const wrong = faults((source) =>
      importsOf(source)
        .filter(
          ({ target, dynamic, typesOnly }) =>
            !dynamic && !typesOnly && heavyModules.includes(target.split('/')[0] ?? ''),
        )
        // A schema is made of zod: what may not load zod imports the schema when it is needed.
        .filter(({ target }) => !(target === 'zod/mini' && /(^|-|\/)schema\.ts$/.test(source.path)))
        .map(({ target }) => `imports ${target} at start`),
    )
    expect(wrong).toEqual([])
  })

  it('loads no schema with a command or the package', () => {
    const starts = sources.filter(({ path }) => /^(commands\/|cli\/(run|help)\.ts|index\.ts)/.test(path))
    const reached = new Set(starts)
    for (const source of reached) {
      for (const { own, dynamic, typesOnly } of importsOf(source)) {
        const imported = sources.find(({ path }) => path === own)
        if (imported && !dynamic && !typesOnly) reached.add(imported)
      }
    }
    expect(reached.size).toBeGreaterThan(starts.length)
    expect([...reached].map(({ path }) => path).filter((path) => /schema\.ts$/.test(path))).toEqual([
      'worker/handler/standard-schema.ts',
    ])
  })

  it('leaves nothing unfinished', () => {
    expect(faults((source) => source.text.split('\n').filter((line) => unfinished.test(line)))).toEqual([])
  })

  it('keeps files short: none over 300 lines, half of them under 100', () => {
    const lengths = sources.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([])
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b)
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100)
  })

  it('cites tests by number only where the promise is mapped, and no machine of ours', () => {
    const texts = [...sources.map(({ path, text }) => ({ path: `src/${path}`, text })), ...written()]
    const wrong = texts.flatMap(({ path, text }) => {
      const number = path === 'docs/promise.md' ? null : /\b[AB]\d{2,3}\b/.exec(text)
      const place = /\/(work|home|root|Users)\//.exec(text)
      return [number, place].flatMap((found) => (found ? [`${path}: ${found[0]}`] : []))
    })
    expect(wrong).toEqual([])
  })
})

function written() {
  const folders = ['docs', 'examples', '.ci', 'bin'].flatMap((folder) =>
    filesUnder(join(root, folder), /\.(md|mjs|ts|js)$|^run$/),
  )
  const files = [
    ...folders,
    ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'].map((file) => join(root, file)),
  ]
  return files.map((file) => ({ path: relative(root, file), text: readFileSync(file, 'utf8') }))
}
