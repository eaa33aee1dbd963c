// One installer or builder at a time in this checkout: a folder is made by exactly one process.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` while holding the lock; a lock whose holder is dead is taken over. */
export async function withLock(root, work) {
  const lock = join(root, '.build.lock')
  await take(lock)
  const release = () => rmSync(lock, { recursive: true, force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.removeListener('exit', release)
    release()
  }
}

async function take(lock) {
  for (;;) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (abandoned(lock)) rmSync(lock, { recursive: true, force: true })
    else await sleep(100)
  }
}

function abandoned(lock) {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'))
    if (pid > 0) return !alive(pid)
    return Date.now() - statSync(lock).mtimeMs > 2000
  } catch {
    // Just made and not signed yet, or just released: look again.
    return false
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
