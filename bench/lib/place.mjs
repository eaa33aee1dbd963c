// Where stores live while they are measured: a real disk, or durability costs nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tmpfs = 0x01021994

export function openPlace() {
  const base = process.env.WF_BENCH_DIR ?? tmpdir()
  if (statfsSync(base).type === tmpfs)
    throw new Error(
      `${base} is in memory, where a sync costs nothing. Name a folder on a disk: WF_BENCH_DIR=…`,
    )
  const root = mkdtempSync(join(base, 'wf-bench-'))
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  let count = 0
  const templates = new Map()
  return {
    folder() {
      count += 1
      const folder = join(root, String(count))
      mkdirSync(folder)
      return folder
    },
    /** A prepared store, made once a run and, unless it is only read, copied for each measurement. */
    async template(name, { fill, copied }) {
      if (!templates.has(name)) {
        const folder = this.folder()
        templates.set(name, folder)
        await fill(folder)
      }
      if (!copied) return templates.get(name)
      const copy = this.folder()
      cpSync(templates.get(name), copy, { recursive: true })
      return copy
    },
    /** What was written before is not to be paid for by who comes next. */
    settle: () => spawnSync('sync'),
    clear: (folder) => rmSync(folder, { recursive: true, force: true }),
  }
}
