/** Only what was given: optional members that are undefined are left out, as exact types want it. */
export function given<T extends object>(values: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}
