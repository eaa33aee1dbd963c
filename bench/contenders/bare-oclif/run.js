#!/usr/bin/env node
import { execute, settings } from '@oclif/core'

settings.enableAutoTranspile = false
await execute({ dir: import.meta.url })
