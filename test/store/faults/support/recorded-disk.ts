/** What a process wrote to files, call by call, and what a disk would hold if the power went at some moment of it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Random } from '../../../../src/random.ts'

type Call =
  | { kind: 'write'; file: string; bytes: Buffer; at: number }
  | { kind: 'truncate'; file: string; length: number }
  | { kind: 'delete'; file: string }
  /** Whatever thread waits for it: what was written before it began is on the disk when it has ended. */
  | { kind: 'sync-begins'; file: string; thread: string }
  | { kind: 'sync'; file: string; thread: string }
  /** The system could not write what was waiting, and will not try again: to the next sync it counts as written. */
  | { kind: 'lost'; file: string; thread: string }
  | { kind: 'said'; text: string }

export const canRecord =
  process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

export interface RecordOptions {
  /** The n-th fdatasync of a thread fails. */
  failingSync?: number
  /** More for the environment. */
  env?: Readonly<Record<string, string>>
}

/** Runs node to its end. */
export function record(
  args: readonly string[],
  log: string,
  { failingSync, env = {} }: RecordOptions = {},
): Call[] {
  const calls = 'pwrite64,write,fdatasync,fsync,ftruncate,unlink'
  const how = [
    '-f',
    '-qq',
    '-y',
    '-xx',
    '-s',
    '1000000',
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
    '-o',
    log,
  ]
  if (failingSync !== undefined) how.push('-e', `inject=fdatasync:error=EIO:when=${failingSync}`)
  spawnSync('strace', [...how, process.execPath, ...args], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, ...env },
  })
  const unfinished = new Map<string, Call>()
  return readFileSync(log, 'latin1')
    .split('\n')
    .flatMap((line) => callsOf(line, unfinished))
}

/** A call during which another thread called stands in two lines. A write counts from its end, so that no sync covers it too early. */
function callsOf(line: string, unfinished: Map<string, Call>): Call[] {
  const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? []
  if (rest.startsWith('<... ')) {
    const call = unfinished.get(thread)
    unfinished.delete(thread)
    return call ? [outcomeOf(call, rest)] : []
  }
  const call = callOf(rest, thread)
  if (call === null) return []
  const begins: Call[] = call.kind === 'sync' ? [{ ...call, kind: 'sync-begins' }] : []
  if (!rest.endsWith('<unfinished ...>') || call.kind === 'said') return [...begins, outcomeOf(call, rest)]
  unfinished.set(thread, call)
  return begins
}

function outcomeOf(call: Call, line: string): Call {
  return call.kind === 'sync' && / = -1 /.test(line) ? { ...call, kind: 'lost' } : call
}

function callOf(line: string, thread: string): Call | null {
  const [, deleted] = /^unlink\("([^"]*)"(?:\)\s+= 0| <unfinished)/.exec(line) ?? []
  if (deleted !== undefined) return { kind: 'delete', file: decoded(deleted).toString() }
  const [, name = '', fd, file = '', rest = ''] = /^(\w+)\((\d+)<([^>]*)>(.*)$/s.exec(line) ?? []
  const path = decoded(file).toString()
  if (name === 'fdatasync' || name === 'fsync') return { kind: 'sync', file: path, thread }
  if (name === 'ftruncate')
    return { kind: 'truncate', file: path, length: Number(/^, (\d+)/.exec(rest)?.[1]) }
  const [, data = '', at] = /^, "((?:\\x[0-9a-f]{2})*)"(?:, \d+)?(?:, (\d+))?/.exec(rest) ?? []
  if (name === 'pwrite64') return { kind: 'write', file: path, bytes: decoded(data), at: Number(at) }
  return name === 'write' && fd === '1' ? { kind: 'said', text: decoded(data).toString() } : null
}

function decoded(text: string): Buffer {
  return text.startsWith('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text, 'latin1')
}

const sectorBytes = 512

type Change = Extract<Call, { kind: 'write' | 'truncate' | 'delete' }>

/** Bytes that grow in place. */
class Content {
  #bytes: Buffer
  length = 0

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes)
    this.length = bytes.length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  apply(change: Change): void {
    if (change.kind === 'write') {
      this.#reach(change.at + change.bytes.length)
      change.bytes.copy(this.#bytes, change.at)
    } else {
      const length = change.kind === 'delete' ? 0 : change.length
      this.#reach(length)
      this.length = length
    }
  }

  /** Holds zeros up to there where it held nothing. */
  #reach(length: number): void {
    if (length > this.#bytes.length)
      this.#bytes = Buffer.concat([this.bytes, Buffer.alloc(length * 2 - this.length)])
    if (length > this.length) this.#bytes.fill(0, this.length, length)
    this.length = Math.max(length, this.length)
  }
}

/** Goes along the calls; a file holds what was synced, and what was not may be on the disk in part. */
export class Disk {
  readonly #durable = new Map<string, Content>()
  readonly #pending = new Map<string, Change[]>()
  /** Of each thread that syncs: the last change that its sync covers. */
  readonly #covered = new Map<string, Change | undefined>()

  apply(call: Call): void {
    if (call.kind === 'said') return
    const pending = this.#pending.get(call.file) ?? []
    if (call.kind === 'sync-begins') {
      this.#covered.set(call.thread, pending.at(-1))
    } else if (call.kind === 'lost') {
      const last = this.#covered.get(call.thread)
      pending.splice(0, last ? pending.indexOf(last) + 1 : 0)
    } else if (call.kind === 'sync') {
      const last = this.#covered.get(call.thread)
      this.#sync(call.file, last ? pending.indexOf(last) + 1 : 0)
      // A directory: what was deleted in it is gone for good.
      for (const [file, changes] of this.#pending)
        if (dirname(file) === call.file && changes.at(-1)?.kind === 'delete') this.#sync(file, changes.length)
    } else {
      pending.push(call)
      this.#pending.set(call.file, pending)
    }
  }

  #sync(file: string, count: number): void {
    const content = this.#durable.get(file) ?? new Content()
    for (const change of this.#pending.get(file)?.splice(0, count) ?? []) content.apply(change)
    this.#durable.set(file, content)
  }

  /** The file after the power went: of what was not synced nothing, or (with `random`) any sectors of it. Null when it has no byte. */
  content(file: string, random?: Random): Buffer | null {
    const content = new Content(this.#durable.get(file)?.bytes)
    if (random) {
      for (const change of this.#pending.get(file) ?? []) {
        for (const part of change.kind === 'write' ? sectorsOf(change) : [change])
          if (random() < 0.5) content.apply(part)
      }
    }
    return content.length === 0 ? null : content.bytes
  }
}

function sectorsOf({
  file,
  bytes,
  at,
}: Extract<Call, { kind: 'write' }>): Extract<Call, { kind: 'write' }>[] {
  const parts: Extract<Call, { kind: 'write' }>[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + sectorBytes - ((at + from) % sectorBytes))
    parts.push({ kind: 'write', file, bytes: bytes.subarray(from, to), at: at + from })
    from = to
  }
  return parts
}
