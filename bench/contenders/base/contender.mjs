import { wfContender } from '../wf/contender.mjs'

/** Another checkout of wf, with its dist: what `compare` compares this one with. */
export const contender = wfContender({ name: 'base', root: process.env.WF_BENCH_BASE ?? '' })
