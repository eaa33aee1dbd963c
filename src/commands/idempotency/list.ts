import { Flags } from '@oclif/core'
import { ListCommand, watchFlags } from '../../cli/list-command.ts'
import { listFlags, typesFlag } from '../../cli/flags.ts'
import { given } from '../../text/json.ts'
import { collect, printList } from '../../cli/output/list.ts'
import { prose } from '../../text/dedent.ts'
import { listedStepColumns, listedStepDocument } from '../../views/step-view.ts'
import type { ListedStep, StepFilter } from '../../domain/step.ts'

export default class IdempotencyList extends ListCommand {
  static override summary = 'List idempotent steps of jobs'
  static override description =
    prose`A step's intent is stored before it is done, its result after. An outcome is unknown where an attempt died in between:
the next one asks the other side (verify), or does it again. Steps live as long as their job.`
  static override examples = [
    '<%= config.bin %> idempotency list --unknown',
    '<%= config.bin %> idempotency list --type charge-payment --json',
  ]
  static override flags = {
    type: typesFlag('only those of jobs of these types'),
    unknown: Flags.boolean({ summary: 'only steps with an unknown outcome' }),
    ...listFlags(),
    ...watchFlags,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(IdempotencyList)
    await this.watched(flags, async () => {
      const store = await this.openReader()
      const filter = given<StepFilter>({ types: flags.type, unknown: flags.unknown || undefined })
      const page = await collect((part) => store.allSteps(filter, part), flags)
      const id = ({ jobKey }: ListedStep) => jobKey
      const noun = flags.unknown ? 'steps whose outcome is unknown' : 'steps'
      await printList(
        this.output,
        { page, columns: listedStepColumns(store.now()), document: listedStepDocument, id, noun },
        { ids: flags.ids, from: store, types: flags.type },
      )
    })
  }
}
