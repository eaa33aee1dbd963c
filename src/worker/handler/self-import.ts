/** Where this package's own public modules are, built or not: handlers import them by name from wherever they live. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** URL of what `wfkit` means. */
export const ownEntry: string = new URL(`../../index.${extension}`, import.meta.url).href

/** URL of what `wfkit/testing` means. */
export const ownTestingEntry: string = new URL(`../../testing/index.${extension}`, import.meta.url).href
