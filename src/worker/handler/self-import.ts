/** Where this package's own public modules are, built or not: handlers import them by name from wherever they lie. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const urlOf = (entry: string) => new URL(`../../${entry}.${extension}`, import.meta.url).href

/** URLs by the names that handlers import. */
export const ownEntries = { wfkit: urlOf('index'), 'wfkit/testing': urlOf('testing/index') } satisfies Record<
  string,
  string
>
