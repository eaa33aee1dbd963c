import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base-command.ts'
import { keyArg, revealFlags } from '../../cli/flags.ts'
import { incidentOf, incidentPage, incidentPageDocument } from '../../views/incident-page.ts'
import { noSuchIncident, noSuchJob } from '../../cli/input/not-found.ts'

export default class IncidentsShow extends BaseCommand {
  static override summary = 'Show an incident'
  static override description =
    'The open incident, else the last one: its error, the variables, the attempts, and the commands that come next.'
  static override examples = ['<%= config.bin %> incidents show 17']
  static override args = { key: keyArg() }
  static override flags = { full: Flags.boolean({ summary: 'cut nothing' }), ...revealFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(IncidentsShow)
    const store = await this.openRevealing(flags)
    const inspector = await this.openInspector(store)
    const detail = await inspector.job(args.key)
    if (!detail) throw await noSuchJob(inspector, args.key)
    const incident = incidentOf(detail)
    if (!incident) throw await noSuchIncident(inspector, detail.job)
    await this.recordReveal([args.key], flags)
    const { reveal } = flags
    const { document, print, paint, width } = this.output
    document(incidentPageDocument({ incident, detail }, this.storeSuffix), { reveal })
    print(
      ...incidentPage(
        { incident, detail },
        { paint, width, now: this.now(), full: flags.full, reveal, suffix: this.storeSuffix },
      ),
    )
  }
}
