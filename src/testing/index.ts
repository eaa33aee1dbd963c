/** The public entry `wfkit/testing`: for tests of handlers and of programs that use wf. */
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { openMemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export { runHandler, type HandlerRun, type RunHandlerOptions } from './run-handler.ts'
