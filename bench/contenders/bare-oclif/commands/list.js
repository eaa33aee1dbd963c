import { Command, Flags } from '@oclif/core'
import Database from 'better-sqlite3'

export class List extends Command {
  static description = 'opens a store and reads one number from it'
  static flags = { store: Flags.string({ required: true }) }

  async run() {
    const { flags } = await this.parse(List)
    const db = new Database(flags.store, { readonly: true })
    this.log(String(db.prepare('SELECT count(*) FROM wf_workers').pluck().get()))
    db.close()
  }
}
