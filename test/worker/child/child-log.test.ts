import { describe, expect, it } from 'vitest'
import type { ChildChannel } from '../../../src/worker/child/channel.ts'
import { channelLog } from '../../../src/worker/child/channel.ts'
import type { ToSupervisor } from '../../../src/worker/ipc.ts'

function listening() {
  const said: ToSupervisor[] = []
  const channel: ChildChannel = {
    send: async (message) => void said.push(JSON.parse(JSON.stringify(message)) as ToSupervisor),
    onMessage: () => {},
    onGone: () => {},
  }
  return { log: channelLog(channel, 'info'), said }
}

describe('the log of a child', () => {
  it('sends lines with their fields and those of the logger apart', () => {
    const { log, said } = listening()
    log.child({ job: 1 }).warn('careful', { part: 2 })
    log.debug('not asked for')
    expect(said).toEqual([
      { kind: 'log', level: 'warn', message: 'careful', fields: { part: 2 }, bound: { job: 1 } },
    ])
  })

  // B060
  it('takes whatever a handler hands over: BigInt, circles, errors, throwing getters', () => {
    const { log, said } = listening()
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const trap = Object.defineProperty({}, 'x', { enumerable: true, get: () => Promise.reject.call(null) })
    for (const field of [2n ** 70n, circle, new Error('inner'), trap]) log.info('look', { field })
    expect(said).toHaveLength(4)
    expect(said[0]).toMatchObject({ fields: { field: '1180591620717411303424n' } })
    log.info(Object.create(null) as string)
    expect(said).toHaveLength(5)
    expect(said[2]).toMatchObject({ fields: { field: { message: 'inner' } } })
  })

  it('cuts what is too long', () => {
    const { log, said } = listening()
    log.info('x'.repeat(1_000_000), { big: 'y'.repeat(1_000_000) })
    expect(JSON.stringify(said[0]).length).toBeLessThan(40_000)
  })
})
