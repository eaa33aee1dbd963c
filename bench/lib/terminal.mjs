// A program on a terminal of its own (`script` of util-linux): how long its keys take, and what it costs while it is watched.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once the program has shown `ready`. */
export async function onTerminal({ folder, command, columns = 120, rows = 40, ready }) {
  const pidFile = join(folder, 'terminal.pid')
  const script = join(folder, 'terminal.sh')
  writeFileSync(pidFile, '')
  writeFileSync(
    script,
    `stty cols ${columns} rows ${rows}\nsh -c 'echo $PPID > "${pidFile}"'\nexec ${command}\n`,
  )
  const env = { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/bash', CI: '' }
  const child = spawn('script', ['-qfec', `bash --norc ${script}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  })
  let wanted = null
  child.once('close', () => wanted?.reject(new Error(`it ended before it showed ${wanted.pattern}`)))
  child.stdout.on('data', (bytes) => {
    if (!wanted?.pattern.test(bytes.toString())) return
    wanted.resolve(performance.now())
    wanted = null
  })
  const shows = (pattern) =>
    new Promise((resolve, reject) => {
      wanted = { pattern, resolve, reject }
    })
  const startedAt = performance.now()
  const readyMs = (await shows(ready)) - startedAt
  const pid = Number(existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : 0)
  return {
    readyMs,
    /** From a key to the frame that answers it. */
    async press(key, answer) {
      const pressedAt = performance.now()
      const answered = shows(answer)
      child.stdin.write(key)
      return (await answered) - pressedAt
    },
    type: (text) => child.stdin.write(text),
    /** Of one core, over so many seconds. */
    async cpuPercent(seconds) {
      const before = cpuMs(pid)
      const from = performance.now()
      await sleep(seconds * 1_000)
      return ((cpuMs(pid) - before) / (performance.now() - from)) * 100
    },
    kill: () => process.kill(pid, 'SIGTERM'),
  }
}

/** User and system time of all threads; the kernel counts in hundredths. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
