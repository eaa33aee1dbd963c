import { contender as base } from './base/contender.mjs'
import { contender as bullmq } from './bullmq/contender.mjs'
import { contender as plainjob } from './plainjob/contender.mjs'
import { contender as raw } from './raw/contender.mjs'
import { contender as wf } from './wf/contender.mjs'

export const contenders = { base, bullmq, plainjob, raw, wf }
