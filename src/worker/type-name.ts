/** What a job type may be called. `__proto__` and `toString` are names like any other: registries are Maps. */
import { limits } from '../domain/job.ts'

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Why it cannot be a type's name; null when it can. */
export function typeNameFault(type: unknown): string | null {
  if (typeof type !== 'string') return 'it must be text'
  if (type === '') return 'it must not be empty'
  if (type !== type.trim()) return 'it must not begin or end with a blank'
  if (type.length > limits.typeCharacters) return `it must have at most ${limits.typeCharacters} characters, not ${type.length}`
  return control.test(type) ? 'it must not contain control characters' : null
}
