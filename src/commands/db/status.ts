import { stat } from 'node:fs/promises'
import { BaseCommand } from '../../cli/base-command.ts'
import { prose } from '../../text/dedent.ts'
import { joined, Safe, say } from '../../terminal/safe.ts'
import { facts } from '../../views/sections.ts'
import { bytesWords, thousands } from '../../terminal/time.ts'
import { jobStates } from '../../domain/job.ts'

export default class DbStatus extends BaseCommand {
  static override summary = 'Show the store, its schema and size'
  static override description = prose`Finished jobs are not counted: that would mean to read them all.

To put a backup in place, stop every process that has the store open, move the file and its -wal and -shm aside together,
then move the backup to its name. Processes that still run accept nothing any more, and workers end.`
  static override examples = ['<%= config.bin %> db status', '<%= config.bin %> db status --json']

  async run(): Promise<void> {
    await this.parse(DbStatus)
    const inspector = await this.openInspector()
    const [info, counts, workers] = await Promise.all([
      inspector.info(),
      inspector.counts(),
      inspector.workers(),
    ])
    const alive = workers.filter((worker) => worker.alive).length
    const [fileBytes, walBytes] = await Promise.all([sizeOf(info.location), sizeOf(`${info.location}-wal`)])
    this.output.document({
      ...info,
      storeId: info.storeId,
      fileBytes,
      walBytes,
      jobs: counts,
      workers: { alive, gone: workers.length - alive },
    })
    const { paint } = this.output
    const live = jobStates.flatMap((state) =>
      !counts[state] ? [] : [say`${thousands(counts[state])} ${state}`],
    )
    this.output.print(
      ...facts(
        [
          ['store', paint.bold(info.location)],
          ['id', new Safe(info.storeId)],
          ['schema', `version ${info.schemaVersion}, up to date`],
          ['engine', info.engineVersion],
          [
            'size',
            fileBytes === null
              ? null
              : say`${bytesWords(fileBytes)}${walBytes ? say` and ${bytesWords(walBytes)} in the write-ahead log` : ''}`,
          ],
          ['jobs', live.length === 0 ? 'none waiting, running or stopped' : joined(live, ', ')],
          ['workers', say`${alive} alive${workers.length > alive ? `, ${workers.length - alive} gone` : ''}`],
        ],
        paint,
      ),
    )
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch {
    return null
  }
}
