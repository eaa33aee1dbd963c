/** Reading what a command was pointed at: a file, standard input, or the words themselves. Never more than it needs. */
import { isUtf8 } from 'node:buffer'
import { createReadStream, fstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { countedBytes } from '../../text/bytes.ts'
import { WfError } from '../../errors.ts'
import { sizeSettings } from '../../domain/job.ts'
import { preview } from '../../text/preview.ts'

/** A document that is larger is not read to its end. */
export const longestDocument = 16 * 1024 * 1024

export interface Source {
  /** For messages: the file's name, or `standard input`. */
  name: string
  bytes: number | null
  chunks: AsyncIterable<Uint8Array>
  /** Reads no further, so that nothing keeps the process waiting. */
  close(): void
}

/** `-` is standard input; else a path, with or without the `@`. */
export async function openSource(place: string): Promise<Source> {
  if (place === '-') return standardInput()
  const path = place.replace(/^@/, '')
  try {
    const stats = await stat(path)
    if (stats.isDirectory())
      throw new WfError('usage', `${preview(path)} is a directory, not a file`, {
        hint: 'name the file in it',
      })
    return sourceOf(path, stats.isFile() ? stats.size : null, createReadStream(path))
  } catch (error) {
    throw error instanceof WfError ? error : unreadable(path, error)
  }
}

/** Of a directory Node.js would make a stream that ends at once: what was not read must not pass for nothing. */
function standardInput(): Source {
  const name = 'standard input'
  if (isDirectory(process.stdin.fd))
    throw new WfError('usage', `${name} is a directory, not a file`, {
      hint: 'put a file or a pipe in its place',
    })
  return sourceOf(name, null, process.stdin)
}

function isDirectory(fd: number): boolean {
  try {
    return fstatSync(fd).isDirectory()
  } catch {
    return false
  }
}

function sourceOf(name: string, bytes: number | null, stream: Readable): Source {
  return { name, bytes, chunks: stream, close: () => void stream.destroy() }
}

export interface DocumentLimit {
  mostBytes: number
  /** What is said of one of `size` (`1,048,577 bytes`, `more than 16 bytes`). */
  refuse(name: string, size: string): WfError
}

/** The whole text of a source that holds one document. Refused by its size before it fills the memory. */
export async function readSource(source: Source, { mostBytes, refuse }: DocumentLimit): Promise<string> {
  const { name, bytes, chunks } = source
  if (bytes !== null && bytes > mostBytes) {
    source.close()
    throw refuse(name, countedBytes(bytes))
  }
  const read: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength
      if (size > mostBytes) throw refuse(name, `more than ${countedBytes(mostBytes)}`)
      read.push(chunk)
    }
  } catch (error) {
    throw error instanceof WfError ? error : unreadable(name, error)
  }
  return utf8Text(Buffer.concat(read), name)
}

/** Without a byte order mark. Bytes that are no UTF-8 are refused: other characters would stand for them from then on. */
export function utf8Text(bytes: Uint8Array, name: string): string {
  if (!isUtf8(bytes)) throw notUtf8(name)
  return new TextDecoder('utf-8').decode(bytes)
}

export function notUtf8(name: string): WfError {
  return new WfError('invalid_job', `${name} is not UTF-8 text: some of its bytes are no characters`, {
    hint: 'save it as UTF-8 (iconv -f latin1 -t utf-8); what is no text is written as base64',
  })
}

export function unreadable(name: string, error: unknown): WfError {
  return new WfError('usage', `cannot read ${name}: ${reasonOf(error)}`, {
    hint: 'check the path and who may read it',
  })
}

export function unwritable(name: string, error: unknown): WfError {
  return new WfError('usage', `cannot write to ${name}: ${reasonOf(error)}`, {
    hint: 'check the path, and who may write there',
  })
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is no directory',
  EEXIST: 'there is a file of that name',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
}

/** Variables of at most so many bytes, in a document that white space may make larger than what is stored. */
export function variablesLimit(variablesBytes: number): DocumentLimit {
  return {
    mostBytes: Math.max(longestDocument, 4 * variablesBytes),
    refuse: (name, size) =>
      new WfError(
        'invalid_job',
        `${name} has ${size}, and ${sizeSettings.variables} allows variables of ${countedBytes(variablesBytes)}`,
        {
          hint: 'keep the file where the handler can reach it, and enqueue its address',
        },
      ),
  }
}
