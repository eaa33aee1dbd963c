/** Reading what a command was pointed at: a file, standard input, or the words themselves. Never more than it needs. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { WfError } from '../domain/errors.ts'
import { preview } from '../domain/preview.ts'
import { thousands } from './time.ts'

/** Text of one document. White space may make it larger than what will be stored, but not by much more than this. */
const mostBytes = 16 * 1024 * 1024

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
  if (place === '-') return sourceOf('standard input', null, process.stdin)
  const path = place.replace(/^@/, '')
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) throw new WfError('usage', `${preview(path)} is a directory, not a file`)
    return sourceOf(path, stats.isFile() ? stats.size : null, createReadStream(path))
  } catch (error) {
    throw error instanceof WfError ? error : unreadable(path, error)
  }
}

function sourceOf(name: string, bytes: number | null, stream: Readable): Source {
  return { name, bytes, chunks: stream, close: () => void stream.destroy() }
}

/** The whole text of a source that holds one document. Refused by its size before it fills the memory. */
export async function readSource({ name, bytes, chunks }: Source): Promise<string> {
  if (bytes !== null && bytes > mostBytes) throw tooBig(name, thousands(bytes))
  const read: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength
      if (size > mostBytes) throw tooBig(name, `more than ${thousands(mostBytes)}`)
      read.push(chunk)
    }
  } catch (error) {
    throw error instanceof WfError ? error : unreadable(name, error)
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(read))
}

export function unreadable(name: string, error: unknown): WfError {
  return new WfError('usage', `cannot read ${name}: ${reasonOf(error)}`, { hint: 'check the path and who may read it' })
}

export function unwritable(name: string, error: unknown): WfError {
  return new WfError('usage', `cannot write to ${name}: ${reasonOf(error)}`, { hint: 'check the path, and who may write there' })
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

function tooBig(name: string, bytes: string): WfError {
  return new WfError('invalid_job', `${name} has ${bytes} bytes: variables hold at most 1,048,576`, {
    hint: 'keep the file where the handler can reach it, and enqueue its address',
  })
}
