// Writes the manifest that a published oclif program has, so that it starts without reading its commands.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Plugin } from '@oclif/core'

export async function writeManifest() {
  process.env.NODE_ENV = 'production'
  const plugin = new Plugin({
    root: import.meta.dirname,
    type: 'core',
    ignoreManifest: true,
    errorOnManifestCreate: true,
  })
  await plugin.load()
  writeFileSync(join(import.meta.dirname, 'oclif.manifest.json'), JSON.stringify(plugin.manifest))
}
