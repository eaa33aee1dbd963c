// Starts measured processes, hears their reports, watches their memory and CPU, and ends them.
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, closeSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const act = join(import.meta.dirname, 'act.mjs')

/** `args` of node, `options` for WF_BENCH. Its output goes to a log file, as it would in production. */
export function start(folder, { args, options, env = {} }) {
  const reports = join(folder, `reports-${process.hrtime.bigint()}`)
  mkdirSync(reports)
  const log = openSync(join(folder, 'output.log'), 'a')
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, NODE_OPTIONS: '', ...env, WF_BENCH: JSON.stringify({ ...options, reports }) },
  })
  closeSync(log)
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  return {
    pid: child.pid,
    ended,
    /** The first `count` reports of a kind, as soon as they are there. */
    async reports(kind, { count = 1, timeoutMs = 300_000 } = {}) {
      const until = Date.now() + timeoutMs
      for (;;) {
        const gone = child.exitCode !== null || child.signalCode !== null
        const found = read(reports).filter((report) => report.kind === kind)
        if (found.length >= count) return found
        if (gone) throw new Error(`${args.join(' ')} ended before it reported "${kind}":\n${tail(folder)}`)
        if (Date.now() > until)
          throw new Error(
            `${args.join(' ')} did not report "${kind}" in ${timeoutMs / 1000} s:\n${tail(folder)}`,
          )
        await sleep(20)
      }
    },
    /** All reports of a kind so far. */
    said: (kind) => read(reports).filter((report) => report.kind === kind),
    async stop(graceMs = 15_000) {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), graceMs)
      const { signal } = await ended
      clearTimeout(late)
      if (signal === 'SIGKILL') throw new Error(`${args.join(' ')} did not end on SIGTERM:\n${tail(folder)}`)
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** One action of a producer (lib/act.mjs) in a process of its own, to its end; answers what it reported. */
export async function perform(folder, options) {
  const running = start(folder, { args: [act], options })
  const [acted] = await running.reports('acted')
  await running.ended
  return acted
}

/** An action that goes on beside other things; its report is awaited with `reports('acted')`. */
export function begin(folder, options) {
  return start(folder, { args: [act], options })
}

/** Milliseconds of CPU that all threads of a process have used; to the nanosecond where the kernel says so. */
export function cpuMs(pid) {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  }
  return nanoseconds / 1e6
}

/** Percent of a core that it uses in the next `ms`. */
export async function cpuShare(pid, ms) {
  const before = cpuMs(pid)
  const startedAt = performance.now()
  await sleep(ms)
  return ((cpuMs(pid) - before) / (performance.now() - startedAt)) * 100
}

/** The process itself, or the child it has forked: the one that runs the jobs. */
export function workingPid(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '),
  )
  return Number(children.find(Boolean) ?? pid)
}

/** Resident memory in MB, with shared pages, as `ps` and containers count it. */
export function rssMb(pid) {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)
  return line ? Number(line[1]) / 1024 : 0
}

function read(folder) {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  )
}

function tail(folder) {
  return readFileSync(join(folder, 'output.log'), 'utf8').split('\n').slice(-20).join('\n')
}
