import { connectThrough } from '../wf/producer.mjs'

export const connect = (options) => connectThrough(process.env.WF_BENCH_BASE, options)
