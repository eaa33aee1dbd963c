/** A file system of a few MB, which can be filled, emptied and made read-only. Needs the right to mount. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../../support/open-test-store.ts'

export interface SmallDisk {
  folder: string
  /** Takes every byte that is left. */
  fill(): void
  /** Gives back what `fill` took. */
  empty(): void
  /** Is of another size from now on. */
  grow(megabytes: number): void
  /** Files that are open for writing must not be: it waits for none. */
  readOnly(is: boolean): void
}

const run = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

const mount = (folder: string, options: string) => run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder)

export const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'wf-mount-'))
  const can = mount(folder, 'size=64k') && run('umount', folder)
  rmdirSync(folder)
  return can
})()

export function smallDisk(megabytes = 8): SmallDisk {
  const folder = temporaryDirectory()
  if (!mount(folder, `size=${megabytes}m,mode=0755`)) throw new Error('tmpfs cannot be mounted')
  onTestFinished(() => void run('umount', '--lazy', folder))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder)
      if (bavail > 0) writeFileSync(ballast, Buffer.alloc(bavail * bsize), { flag: 'a' })
    },
    empty: () => rmSync(ballast, { force: true }),
    grow(size) {
      if (!run('mount', '-o', `remount,size=${size}m`, folder)) throw new Error('tmpfs cannot be remounted')
    },
    readOnly(is) {
      if (!run('mount', '-o', `remount,${is ? 'ro' : 'rw'}`, folder))
        throw new Error('tmpfs cannot be remounted')
    },
  }
}
