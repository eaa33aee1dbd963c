/** Hook of the framework: somebody typed a command that does not exist. */
import { WfError } from '../domain/errors.ts'
import { didYouMean } from './did-you-mean.ts'
import { reportError } from './errors.ts'
import { createOutput } from './output.ts'
import { processSinks } from './streams.ts'

interface Missing {
  /** Words joined by colons. */
  id: string
  argv?: readonly string[]
  config: { commands: readonly { id: string; args?: object }[] }
}

export async function commandNotFound({ id, argv = [], config }: Missing): Promise<void> {
  const commands = config.commands.map((command) => command.id.replaceAll(':', ' ')).sort()
  const error = missingCommand([...id.split(':'), ...argv], commands)
  const json = argv.includes('--json')
  const output = await createOutput({ sinks: processSinks(), env: process.env, json, noColour: argv.includes('--no-color') })
  process.exitCode = reportError(error, output, '')
}

export function missingCommand(typed: readonly string[], commands: readonly string[]): WfError {
  const words = typed.slice(0, firstFlag(typed))
  if (words.length === 0)
    return new WfError('usage', `there is no command ${typed[0] ?? ''}`, { hint: 'flags stand behind the command: wf jobs list --json' })
  const stem = commands.filter((command) => ` ${words.join(' ')} `.startsWith(` ${command} `)).sort((a, b) => b.length - a.length)[0]
  if (stem) {
    const rest = words.slice(stem.split(' ').length)
    return new WfError('usage', `what is "${rest.join(' ')}" for? wf ${stem} takes no arguments`, { hint: `wf ${stem} --help` })
  }
  const near = nearest(words, commands)
  return new WfError('usage', `there is no command "${words.slice(0, 2).join(' ')}"`, {
    hint: near ? `did you mean wf ${near}?` : 'wf --help lists all commands',
  })
}

/** Word by word: `job lsit` is nearest to `jobs list`. */
function nearest(words: readonly string[], commands: readonly string[]): string | undefined {
  const whole = didYouMean(words.slice(0, 2).join(' '), commands) ?? didYouMean(words[0] ?? '', commands)
  if (whole) return whole
  const topics = [...new Set(commands.map((command) => command.split(' ')[0] ?? ''))]
  const topic = didYouMean(words[0] ?? '', topics)
  if (topic === undefined) return undefined
  const verbs = commands.filter((command) => command.startsWith(`${topic} `)).map((command) => command.slice(topic.length + 1))
  const verb = didYouMean(words[1] ?? '', verbs)
  return verb ? `${topic} ${verb}` : `${topic} --help`
}

function firstFlag(typed: readonly string[]): number {
  const index = typed.findIndex((word) => word.startsWith('-'))
  return index < 0 ? typed.length : index
}
