import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import { initFiles, type InitFile } from '../cli/init-files.ts'
import { unwritable } from '../cli/input/input.ts'
import { prose } from '../text/dedent.ts'
import { say } from '../terminal/safe.ts'
import { section, stepLines, type Step } from '../views/sections.ts'
import { quoted } from '../text/shell-words.ts'

export default class Init extends BaseCommand {
  static override summary = 'Create a handler, its test and a store'
  static override description =
    prose`Creates hello.ts, hello.test.ts, wf.config.json, package.json and the store. Existing files are kept and named.`
  static override examples = [
    `<%= config.bin %> init && <%= config.bin %> enqueue hello '{"name":"Ada"}' && <%= config.bin %> run-worker hello.ts --until-empty`,
    { description: 'in a new folder', command: '<%= config.bin %> init shop' },
  ]
  static override args = {
    directory: Args.string({
      description: 'folder to create the files in (default: the working directory)',
      ignoreStdin: true,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Init)
    const directory = resolve(args.directory ?? '.')
    const files = initFiles(directory, this.config.version)
    const created = await writeNew(directory, files)
    const kept = files.filter((file) => !created.includes(file))
    // From here on the settings of the new folder apply.
    const store = flags.store === undefined ? undefined : resolve(flags.store)
    process.chdir(directory)
    const engine = await this.openCreating(store)
    const { location } = await engine.reader.info()
    const names = (list: readonly InitFile[]) => list.map(({ name }) => name)
    const next = nextOf(args.directory, this.storeSuffix)
    this.output.document({ directory, created: names(created), kept: names(kept), store: location, next })
    const { green, dim } = this.output.paint
    this.output.print(
      ...created.map(({ name, what }) => say`${green(say`created`)}  ${name.padEnd(14)}  ${dim(what)}`),
      ...kept.map(({ name }) => say`${dim(say`kept`)}     ${name.padEnd(14)}  ${dim(say`already exists`)}`),
      ...section('next', stepLines(next, this.output.paint), this.output.paint),
    )
  }
}

/** Creates the files that don't exist and returns them; never overwrites one, also when two processes do it at once. */
async function writeNew(directory: string, files: readonly InitFile[]): Promise<readonly InitFile[]> {
  const created: InitFile[] = []
  try {
    await mkdir(directory, { recursive: true })
    for (const file of files) {
      const written = await writeFile(join(directory, file.name), file.text, { flag: 'wx' }).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false
          throw error
        },
      )
      if (written) created.push(file)
    }
  } catch (error) {
    throw unwritable(directory, error)
  }
  return created
}

function nextOf(directory: string | undefined, suffix: string): readonly Step[] {
  const enter =
    directory === undefined || directory === '.'
      ? []
      : [{ command: `cd ${quoted(directory)}`, why: 'enter the folder' }]
  return [
    ...enter,
    { command: `wf enqueue hello '{"name":"Ada"}'${suffix}`, why: 'enqueue a job' },
    { command: `wf run-worker hello.ts${suffix}`, why: 'start a worker; stop it with Ctrl-C' },
    { command: `wf jobs list${suffix}`, why: 'see the result' },
  ]
}
