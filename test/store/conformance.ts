/** What every store must do, whatever it is built on: a second one calls this with its own way to open. */
import { describe } from 'vitest'
import type { OpenedStore, Scene } from '../support/store-scene.ts'
import { sceneOn } from '../support/store-scene.ts'
import { activityRules } from './conformance/activity.ts'
import { breakerRules } from './conformance/breakers.ts'
import { causeRules } from './conformance/causes.ts'
import { claimRules } from './conformance/claims.ts'
import { leaseRules } from './conformance/leases.ts'
import { operationRules } from './conformance/operations.ts'
import { pauseRules } from './conformance/pauses.ts'
import { producerRules } from './conformance/producers.ts'
import { readRules } from './conformance/reads.ts'
import { resolutionRules } from './conformance/resolutions.ts'
import { retentionRules } from './conformance/retention.ts'
import { selectorRules } from './conformance/selectors.ts'
import { settlementRules } from './conformance/settlements.ts'
import { stepRules } from './conformance/steps.ts'
import { updateRules } from './conformance/updates.ts'
import { textRules } from './conformance/texts.ts'

/** Makes a scene on a fresh store, which is closed when the test ends. */
export type Stage = () => Promise<Scene>

export function storeConformance(name: string, open: () => Promise<OpenedStore>): void {
  const stage: Stage = async () => sceneOn(await open())
  describe(`${name} as a store`, () => {
    activityRules(stage)
    breakerRules(stage)
    causeRules(stage)
    claimRules(stage)
    leaseRules(stage)
    settlementRules(stage)
    resolutionRules(stage)
    producerRules(stage)
    operationRules(stage)
    pauseRules(stage)
    readRules(stage)
    retentionRules(stage)
    selectorRules(stage)
    stepRules(stage)
    textRules(stage)
    updateRules(stage)
  })
}

/** The rules about what plans decide. */
export function planConformance(name: string, open: () => Promise<OpenedStore>): void {
  const stage: Stage = async () => sceneOn(await open())
  describe(name, () => {
    breakerRules(stage)
    leaseRules(stage)
    resolutionRules(stage)
    operationRules(stage)
    pauseRules(stage)
    retentionRules(stage)
    stepRules(stage)
    updateRules(stage)
  })
}
