/** The name that the record of a change carries. */
import { hostname, userInfo } from 'node:os'

/** WF_USER, else user@host of the operating system, else its number: containers often run as one without a name. */
export function who(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const told = env['WF_USER']?.trim()
  return (told || `${systemUser()}@${hostname()}`).slice(0, 200)
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
