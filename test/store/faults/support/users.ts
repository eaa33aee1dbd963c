/** File modes bind no superuser: as root, what is to be refused is done by a process of somebody else. */
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../../support/open-test-store.ts'
import { root } from '../../../support/processes.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** For a process that has no rights of its own; none where we have no special rights either. */
export const stranger: { uid?: number } = isRoot ? { uid: nobody } : {}

/** False where a stranger cannot even read this checkout, or where there are no users. */
export const hasStranger =
  process.getuid !== undefined &&
  (!isRoot ||
    spawnSync(process.execPath, ['-e', 'require("node:fs").readFileSync("package.json")'], {
      cwd: root,
      uid: nobody,
      gid: nobody,
    }).status === 0)

/** A path for a store in a directory that everybody can get to; `mode` is that of the directory. */
export function publicPath(mode: number): string {
  const outer = temporaryDirectory()
  chmodSync(outer, mode)
  return join(outer, 'wf.db')
}
