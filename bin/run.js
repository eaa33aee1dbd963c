#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { execute, settings } from '@oclif/core'

// dist is what runs, whatever NODE_ENV says.
settings.enableAutoTranspile = false
// No code but its own: plugins that somebody put into the user's folders are not loaded.
await execute({ loadOptions: { root: fileURLToPath(import.meta.url), userPlugins: false, devPlugins: false } })
