// The dashboard on a store whose answers cannot be drawn: broken-screen.mjs ROOT STORE
import { createJiti } from 'jiti'

const [root, location] = process.argv.slice(2)
const jiti = createJiti(import.meta.url)
const load = (path) => jiti.import(`${root}/src/${path}`)
const [{ openStore }, { startDashboard }, { plainPaint }, { systemClock }] = await Promise.all([
  load('app.ts'),
  load('tui/start.ts'),
  load('terminal/paint.ts'),
  load('clock.ts'),
])
const store = await openStore({ location, mode: 'read' })
let looks = 0
const broken = { ...store, info: async () => (++looks > 1 ? { location: { toString: null } } : store.info()) }
// The first frame is fine; another change of the store is looked at anew.
broken.version = async () => ++looks
try {
  await startDashboard({
    ...{
      store: broken,
      clock: systemClock,
      paint: plainPaint,
      screen: 'overview',
      refreshMs: 1_000,
      readOnly: true,
      suffix: '',
      who: 'ada',
    },
    ...{
      stdin: process.stdin,
      stdout: process.stdout,
      openEngine: () => Promise.reject(new Error('not here')),
    },
  })
} catch (error) {
  console.error(`told after it: ${error.message}`)
  process.exitCode = 1
} finally {
  await store.close()
}
