/** Sizes as people write them: whole numbers of bytes, alone or with a unit: `4096`, `512B`, `256KiB`, `1MiB`. No KB or MB, which are 1,000 to some. */
import { WfError } from '../errors.ts'
import { preview } from './preview.ts'

const unitBytes = { B: 1, KiB: 1024, MiB: 1024 * 1024 } as const

const bytesForm =
  'write a whole number of bytes, alone or with a unit of B, KiB or MiB, such as 4096, 256KiB or 1MiB'

/** Whole bytes. Throws WfError `usage` naming `what`, the value and the form. */
export function parseBytes(value: number | string, what = 'the size'): number {
  const bytes = typeof value === 'number' ? value : textBytes(value)
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw new WfError('usage', `${what} ${preview(value, 60)} is not a size`, { hint: bytesForm })
}

function textBytes(text: unknown): number {
  const parts = typeof text === 'string' ? /^(0|[1-9]\d{0,14})(B|KiB|MiB)?$/.exec(text) : null
  return parts ? Number(parts[1]) * unitBytes[(parts[2] ?? 'B') as keyof typeof unitBytes] : Number.NaN
}

/** In the largest unit that says it exactly: `1MiB`, `1536KiB`, `1000B`. Read back by parseBytes. */
export function formatBytes(bytes: number): string {
  if (bytes > 0 && bytes % unitBytes.MiB === 0) return `${bytes / unitBytes.MiB}MiB`
  return bytes > 0 && bytes % unitBytes.KiB === 0 ? `${bytes / unitBytes.KiB}KiB` : `${bytes}B`
}

/** `1,048,577 bytes` */
export function countedBytes(bytes: number): string {
  return `${String(bytes).replace(/\B(?=(\d{3})+$)/g, ',')} ${bytes === 1 ? 'byte' : 'bytes'}`
}
