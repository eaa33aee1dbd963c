/** Plans are pure: run with awaited reads and writes they do the same, so a store across a network is possible. */
import { seededRandom } from '../../src/random.ts'
import { asyncStore } from '../support/async-store.ts'
import { dbOf, openScene } from '../support/store-sqlite.ts'
import { planConformance } from './conformance.ts'

planConformance('an asynchronous runner of plans', async () => {
  const scene = await openScene(':memory:')
  return { ...scene, store: asyncStore(scene.store, dbOf(scene.store), seededRandom(11)) }
})
