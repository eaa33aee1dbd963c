import { openScene, ownFile } from '../support/store-sqlite.ts'
import { storeConformance } from './conformance.ts'

storeConformance('SQLite in a file', () => openScene(ownFile()))
storeConformance('SQLite in memory', () => openScene(':memory:'))
