/** Scripts that use parts of src which dist does not show, made into one file each that plain Node.js runs. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './processes.ts'

/** Beside dist, where packages are found and lines that ran are counted. */
const folder = join(root, 'dist.tests')

/** @returns the path of the file to run; the same for every test that asks */
export async function bundledScript(script: string): Promise<string> {
  const own = join(folder, randomUUID())
  const name = basename(script)
  mkdirSync(own, { recursive: true })
  const built = await rolldown({
    input: script,
    platform: 'node',
    external: /^(?!\.|\/|[A-Za-z]:)/,
    transform: { target: 'node20' },
  })
  await built.write({ dir: own, entryFileNames: name, format: 'esm', sourcemap: true, codeSplitting: false })
  await built.close()
  for (const file of [`${name}.map`, name]) renameSync(join(own, file), join(folder, file))
  rmSync(own, { recursive: true })
  return join(folder, name)
}
