import { spawn, spawnSync } from 'node:child_process'
import { createServer, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Debian's redis-server on a loopback port of its own: append-only file synced every second, no snapshots. */
export async function startRedis(folder) {
  const port = await freePort()
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    daemonize: 'no',
  }
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.once('error', () => {})
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries > 500 || child.exitCode !== null) throw new Error('redis-server did not start')
    await sleep(10)
  }
  return {
    address: String(port),
    pid: child.pid,
    async close() {
      process.removeListener('exit', stop)
      stop()
      await ended
    },
  }
}

/** Installs redis-server with apt when it is missing; answers why not, or null when all is well. */
export function installRedis() {
  if (spawnSync('redis-server', ['--version']).status === 0) return null
  process.stderr.write('bench: redis-server is missing; apt-get install redis-server …\n')
  spawnSync('apt-get', ['install', '-y', 'redis-server'], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (spawnSync('redis-server', ['--version']).status === 0) return null
  return 'redis-server is not here and apt-get could not install it (root and a network are needed); BullMQ is left out. Try: sudo apt-get install redis-server'
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('error', () => end(false))
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => end(String(data).startsWith('+PONG')))
  })
}
