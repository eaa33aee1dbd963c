/** What a forked child runs: puts the child together from the parts that only a composition root may name. Started by the supervisor, never by hand. */
import { openStore } from './app.ts'
import { systemClock } from './clock.ts'
import { createStats } from './metrics/stats.ts'
import { systemRandom } from './random.ts'
import { processChannel } from './worker/child/channel.ts'
import { Child } from './worker/child/child.ts'
import { watchParent } from './worker/child/parent-watchdog.ts'

const child = new Child({
  channel: processChannel(),
  clock: systemClock,
  random: systemRandom,
  async load(files) {
    const { loadHandlers } = await import('./worker/handler/load-handlers.ts')
    return loadHandlers(files)
  },
  openStore: (location) => openStore({ location, mode: 'write', create: false, clock: systemClock }),
  upkeep: ({ engine, log }) => [
    createStats({ events: engine.events, store: engine, clock: systemClock, log }),
  ],
  watchParent,
  exit: (code) => process.exit(code),
})

process.on('uncaughtException', (error) => child.panic(error))
process.on('unhandledRejection', (reason) => child.panic(reason))
// A terminal sends Ctrl-C to the whole group, a service manager its SIGTERM to the whole unit: the supervisor decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// A reader of handlers' output that went away is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
