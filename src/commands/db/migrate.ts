import { BaseCommand } from '../../cli/base-command.ts'
import { prose } from '../../text/dedent.ts'
import { say } from '../../terminal/safe.ts'
import { WfError } from '../../errors.ts'

export default class DbMigrate extends BaseCommand {
  static override summary = 'Migrate the schema of a store'
  static override description =
    prose`Every command that writes does this by itself, unless workers of an older wf are alive, which would end by it; this one does
nothing else, and does it all the same. A backup is written beside the store first. A store of a newer wf is refused (exit 8) and left as it is.`
  static override examples = ['<%= config.bin %> db migrate --store /srv/shop/wf.db']

  async run(): Promise<void> {
    await this.parse(DbMigrate)
    const wasOlder = await this.#isOlder()
    const store = await this.openWriter({ sparesWorkers: false })
    const { location, schemaVersion } = await store.info()
    this.output.document({ location, schemaVersion, changed: wasOlder })
    const done = wasOlder ? say`${this.output.paint.green('migrated')} to` : say`up to date at`
    this.output.print(say`${done} schema version ${schemaVersion}  ${this.output.paint.dim(location)}`)
  }

  async #isOlder(): Promise<boolean> {
    try {
      await (await this.openReader()).close()
      return false
    } catch (error) {
      if (error instanceof WfError && error.code === 'schema_older') return true
      throw error
    }
  }
}
