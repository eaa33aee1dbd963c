import { Command } from '@oclif/core'

export class Hello extends Command {
  static description = 'says hello'

  async run() {
    await this.parse(Hello)
    this.log('hello')
  }
}
