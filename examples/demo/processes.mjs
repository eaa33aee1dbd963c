// The processes of the demo: the gateway, the workers, and single wf commands.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const command = join(root, 'bin/run.js')

/** Runs one wf command to its end; answers what it printed. */
export async function wf(args, { input = '' } = {}) {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`wf ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

/** A process of its own, as a real gateway is. Ends with the demo. */
export async function startGateway(slow) {
  const child = fork(join(root, 'examples/demo/gateway.mjs'), ['--slow', slow], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = await once(child, 'message')
  return {
    url,
    get: async (path) => (await fetch(`${url}${path}`)).json(),
    post: async (path) => (await fetch(`${url}${path}`, { method: 'POST' })).json(),
    stop: () => child.kill(),
  }
}

/** `ended` resolves to the exit code. The workers' log goes to a file, one line of JSON an event. */
export function startWorkers({ store, handler, log, env }) {
  const file = openSync(log, 'w')
  const args = [command, 'run-worker', handler, '--processes', '2', '--until-empty', '--store', store]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', file, file],
    env: { ...process.env, ...env },
  })
  // A demo that is interrupted takes its workers along.
  process.once('exit', () => child.kill())
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  return { ended: once(child, 'close').then(([code, signal]) => code ?? signal) }
}
