/** How much of a write-ahead log is as it was written, by the checksums in it (https://sqlite.org/fileformat2.html#walformat). */
import { readSync } from 'node:fs'

export const walHeaderBytes = 32
const frameHeaderBytes = 24
const magic = 0x377f0682

/** Frames from the start on whose checksums, each of which covers all before it, are right. */
export function validFrames(file: number): number {
  const header = Buffer.alloc(walHeaderBytes)
  if (
    readSync(file, header, 0, walHeaderBytes, 0) < walHeaderBytes ||
    header.readUInt32BE(0) >>> 1 !== magic >>> 1
  )
    return 0
  const bigEndian = header.readUInt32BE(0) !== magic
  const sum = { one: 0, two: 0 }
  add(sum, header.subarray(0, 24), bigEndian)
  if (!isSum(sum, header, 24)) return 0
  const pageBytes = header.readUInt32BE(8)
  const frame = Buffer.alloc(frameHeaderBytes + pageBytes)
  for (let count = 0; ; count++) {
    if (readSync(file, frame, 0, frame.length, walHeaderBytes + count * frame.length) < frame.length)
      return count
    if (frame.compare(header, 16, 24, 8, 16) !== 0) return count
    add(sum, frame.subarray(0, 8), bigEndian)
    add(sum, frame.subarray(frameHeaderBytes), bigEndian)
    if (!isSum(sum, frame, 16)) return count
  }
}

interface Sum {
  one: number
  two: number
}

function isSum({ one, two }: Sum, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two
}

function add(sum: Sum, bytes: Buffer, bigEndian: boolean): void {
  for (let at = 0; at < bytes.length; at += 8) {
    sum.one = (sum.one + (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + sum.two) >>> 0
    sum.two =
      (sum.two + (bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + sum.one) >>> 0
  }
}
