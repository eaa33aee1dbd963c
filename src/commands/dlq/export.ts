import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { keysArg, revealFlags } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { prose } from '../../text/dedent.ts'
import { boundFlags, selectorFlags, selectorOf } from '../../cli/input/selector-flags.ts'

export default class DlqExport extends BaseCommand {
  static override summary = 'Print dead letters as JSON lines'
  static override description =
    prose`One document a line, for jq, a ticket or another store: what dlq show --json tells of a letter, its variables
as they were when it was set aside, and the whole error. Open ones unless --closed; all of them unless a selector or --limit says
otherwise. Secrets are masked unless --reveal, which is kept on record.`
  static override examples = [
    '<%= config.bin %> dlq export > dead-letters.jsonl',
    '<%= config.bin %> dlq export --type charge-payment --since 7d | jq -r .errorCode | sort | uniq -c',
    {
      description: 'what would be purged',
      command: '<%= config.bin %> dlq export --closed --older-than 30d > old.jsonl',
    },
    {
      description: 'enqueue them again as new jobs, secrets and all',
      command:
        '<%= config.bin %> dlq export --kind poison --reveal | jq -c .variables | <%= config.bin %> enqueue charge-payment --bulk -',
    },
  ]
  static override args = { keys: keysArg('only those of these jobs') }
  static override flags = {
    ...selectorFlags('dlq'),
    ...boundFlags('dlq'),
    closed: Flags.boolean({ summary: 'those that are closed too' }),
    ...revealFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqExport)
    const { reveal, limit, sort, closed } = flags
    const keys = args.keys && (await readKeys(args.keys))
    const selector = { ...selectorOf(flags, this.now(), keys), ...(closed ? { includeClosed: true } : {}) }
    const [store, { exportLetters, letterKeys }, { onInterrupt }] = await Promise.all([
      this.openRevealing(flags),
      import('../../cli/dead-letters/letter-export.ts'),
      import('../../cli/input/interrupt.ts'),
    ])
    const meant = letterKeys(store, selector, { limit, sort })
    // What is revealed is what was put on record, and no letter that came meanwhile.
    const wanted = reveal ? await all(meant) : meant
    if (Array.isArray(wanted) && wanted.length > 0) await this.recordReveal(wanted, flags)
    const interrupt = onInterrupt()
    try {
      const written = await exportLetters({
        store,
        keys: wanted,
        reveal,
        out: this.output.out,
        signal: interrupt.signal,
      })
      if (interrupt.exitCode !== null) return this.endWith(interrupt.exitCode)
      if (written === 0) await this.sayNothing(store, selector)
    } finally {
      interrupt.release()
    }
  }
}

async function all(keys: AsyncIterable<number>): Promise<number[]> {
  const list: number[] = []
  for await (const key of keys) list.push(key)
  return list
}
