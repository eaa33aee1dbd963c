import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import type { Completable, Shell } from '../cli/completion.ts'
import { prose } from '../text/dedent.ts'
import { readChoice } from '../text/parse-input.ts'

const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

export default class Completion extends BaseCommand {
  static override summary = 'Print a shell completion script'
  static override description =
    prose`The script completes commands and flags without starting a process. Print it again after an update.

bash: source <(wf completion bash), in ~/.bashrc. zsh: source <(wf completion zsh), in ~/.zshrc after compinit. fish: wf completion fish
> ~/.config/fish/completions/wf.fish`
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/wf.fish',
  ]
  static override args = {
    shell: Args.custom<Shell>({
      description: 'bash, zsh or fish',
      ignoreStdin: true,
      parse: async (text) => readChoice(text, 'the shell', shells),
    })({
      required: true,
    }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    const { completionScript } = await import('../cli/completion.ts')
    const script = completionScript(args.shell, this.#completable())
    this.output.document({ shell: args.shell, script })
    if (!this.output.json) this.output.out.write(script)
  }

  /** Reads the manifest, so that no command is loaded. */
  #completable(): Completable {
    const commands = this.config.commands
      .filter(({ hidden }) => !hidden)
      .map(({ id, summary = '', flags }) => ({
        words: id.replaceAll(':', ' '),
        summary,
        flags: Object.values(flags)
          .filter(({ hidden }) => !hidden)
          .map(({ name, char, summary: what = '', type }) => ({
            name,
            char: char ?? null,
            summary: what,
            hasValue: type === 'option',
          })),
      }))
      .sort((a, b) => (a.words < b.words ? -1 : 1))
    // oclif lists every command as a topic too.
    const topics = this.config.topics.filter(({ name }) =>
      commands.some(({ words }) => words.startsWith(`${name} `)),
    )
    return { commands, topics: topics.map(({ name, description = '' }) => ({ name, summary: description })) }
  }
}
