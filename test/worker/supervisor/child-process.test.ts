import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { childFlags, forkChild, exitText } from '../../../src/worker/supervisor/child-process.ts'
import type { ToSupervisor } from '../../../src/worker/ipc.ts'

const entry = fileURLToPath(new URL('../../fixtures/forked-child.mjs', import.meta.url))

describe('a forked child', () => {
  it('takes and gives messages, passes over what is none, and tells its end', async () => {
    const child = forkChild(entry)
    const heard: ToSupervisor[] = []
    const answered = new Promise<void>((resolve) => {
      child.onMessage((message) => {
        heard.push(message)
        resolve()
      })
    })
    child.send({ kind: 'go' })
    child.send({ kind: 'ping', id: 3 })
    await answered
    expect(heard).toEqual([{ kind: 'pong', id: 3 }])
    child.send({ kind: 'stop' })
    expect(await child.exited).toEqual({ code: 7, signal: null, error: null })
    child.send({ kind: 'go' })
    child.kill()
  })

  it('can be killed, whatever it does', async () => {
    const child = forkChild(entry)
    child.kill()
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL', error: null })
  })

  it('is given the flags of its supervisor without the debugger, and collects young objects early unless the user says when', () => {
    expect(childFlags(['--inspect=0', '--no-warnings'], {})).toEqual([
      '--no-warnings',
      '--max-semi-space-size=4',
      '--v8-pool-size=2',
    ])
    expect(childFlags(['--max_semi_space_size=64'], {})).toEqual([
      '--max_semi_space_size=64',
      '--v8-pool-size=2',
    ])
    expect(
      childFlags(['--v8-pool-size=8'], { NODE_OPTIONS: '--no-warnings --min-semi-space-size=8' }),
    ).toEqual(['--v8-pool-size=8'])
    expect(childFlags([], { DEBUG: 'wf' })).toContain('--enable-source-maps')
  })

  it('says how it ended in words', () => {
    expect(exitText({ code: 3, signal: null, error: null })).toBe('ended with exit code 3')
    expect(exitText({ code: null, signal: 'SIGABRT', error: null })).toBe('was ended by SIGABRT')
    expect(exitText({ code: null, signal: null, error: 'EAGAIN' })).toBe('could not be started: EAGAIN')
  })
})
