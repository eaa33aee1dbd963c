/** Hook of the framework for commands that don't exist. */
import { WfError } from '../errors.ts'
import { didYouMean, nearWords } from '../text/suggest.ts'
import { reportError } from './errors.ts'
import { createOutput } from '../terminal/output.ts'
import { processSinks } from '../terminal/streams.ts'

interface Missing {
  /** Words joined by colons. */
  id: string
  argv?: readonly string[]
  config: { commands: readonly { id: string; args?: object }[] }
}

export async function commandNotFound({ id, argv = [], config }: Missing): Promise<void> {
  const commands = config.commands.map((command) => command.id.replaceAll(':', ' ')).sort()
  const typed = [...id.split(':'), ...argv]
  const error = missingCommand(typed, commands)
  const json = typed.includes('--json')
  const output = await createOutput({
    sinks: processSinks(),
    env: process.env,
    json,
    noColour: argv.includes('--no-color'),
  })
  process.exitCode = reportError(error, output, '')
}

export function missingCommand(typed: readonly string[], commands: readonly string[]): WfError {
  const words = typed.slice(0, firstFlag(typed))
  if (words[0] === 'help')
    return new WfError('usage', 'unknown command "help"', {
      hint: `wf ${words.slice(1).join(' ')} --help`.replace(/ +/g, ' '),
    })
  if (words.length === 0)
    return new WfError('usage', `unknown command ${typed[0] ?? ''}`, {
      hint: 'put flags after the command: wf jobs list --json',
    })
  const stem = commands
    .filter((command) => ` ${words.join(' ')} `.startsWith(` ${command} `))
    .sort((a, b) => b.length - a.length)[0]
  if (stem) {
    const rest = words.slice(stem.split(' ').length)
    return new WfError('usage', `unexpected argument "${rest.join(' ')}": wf ${stem} takes no arguments`, {
      hint: `wf ${stem} --help`,
    })
  }
  const near = nearest(words, commands)
  return new WfError('usage', `unknown command "${words.slice(0, 2).join(' ')}"`, {
    hint: near ? didYouMean([`wf ${near}`]) : 'wf --help lists all commands',
  })
}

/** Compares word by word: `job lsit` is nearest to `jobs list`. */
function nearest(words: readonly string[], commands: readonly string[]): string | null {
  const [first = '', second = ''] = words
  const roots = [...new Set(commands.map((command) => command.split(' ')[0] ?? ''))]
  const root = roots.find((each) => each === first) ?? nearWords([first], roots)[0] ?? null
  if (root === null || commands.includes(root)) return root
  const verbs = commands
    .filter((command) => command.startsWith(`${root} `))
    .map((command) => command.slice(root.length + 1))
  const verb = verbs.find((each) => each === second) ?? nearWords([second], verbs)[0] ?? null
  return verb === null ? `${root} ${verbs.join('|')}` : `${root} ${verb}`
}

function firstFlag(typed: readonly string[]): number {
  const index = typed.findIndex((word) => word.startsWith('-'))
  return index < 0 ? typed.length : index
}
