#!/usr/bin/env node
import { execute, settings } from '@oclif/core'

// dist is what runs, whatever NODE_ENV says.
settings.enableAutoTranspile = false
await execute({ dir: import.meta.url })
