/** Detects network file systems: they don't support the shared memory that a WAL needs. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { WfError } from '../../../errors.ts'

/** `f_type` of statfs(2), as in linux/magic.h and the file systems' own sources. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB (CIFS)'],
  [0xfe534d42, 'SMB 2'],
  [0x01021997, '9p'],
  [0x564c, 'NCP'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x47504653, 'GPFS'],
  [0x786f4256, 'a VirtualBox shared folder'],
  [0xbacbacbc, 'a VMware shared folder'],
])

/** Returns its name; null for a local file system. */
export function networkFileSystem(
  location: string,
  typeOf: (path: string) => number = fileSystemType,
): string | null {
  return networkTypes.get(typeOf(location) >>> 0) ?? null
}

/** Of the nearest directory that exists. */
function fileSystemType(location: string): number {
  for (let folder = dirname(location); ; folder = dirname(folder)) {
    try {
      return statfsSync(folder).type
    } catch {
      if (folder === dirname(folder)) return 0
    }
  }
}

export function refuseNetwork(location: string, name: string): never {
  throw new WfError(
    'store_unavailable',
    `the store ${location} lies on ${name}, where SQLite cannot be shared safely between processes`,
    {
      hint: 'Put it on a local disk. WF_NETWORK_FILE_SYSTEM=allow uses it all the same, from one process alone (run-worker --inline).',
    },
  )
}
