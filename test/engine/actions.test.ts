import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import type { OperationVerb } from '../../src/domain/operation.ts'
import { actions, checkInput, commandOf } from '../../src/engine/actions/index.ts'
import { inputs } from '../../src/engine/actions/input-schema.ts'
import { bindings, type Verb } from '../../src/tui/keys.ts'
import { manifestCommands } from '../support/cli.ts'
import { testEngine } from '../support/test-engine.ts'

interface Ways {
  /** Path of the client's method; null with the reason. */
  client: string | null
  /** The dashboard's key does it; null where it doesn't make sense there. */
  key: Verb | null
}

/** How each action is reached, besides its command. */
const ways: Readonly<Record<OperationVerb, Ways>> = {
  resolve: { client: 'resolve', key: 'resolve' },
  retry: { client: 'retry', key: 'resolve' },
  // The client's retry takes dead jobs too.
  dlq_retry: { client: 'retry', key: 'resolve' },
  cancel: { client: 'cancel', key: 'cancel' },
  discard: { client: 'discard', key: 'discard' },
  // Deletes many dead letters by age: not a key for one row.
  purge: { client: 'purge', key: null },
  update: { client: 'update', key: null },
  pause: { client: 'types.pause', key: 'pause' },
  resume: { client: 'types.resume', key: 'pause' },
  trip: { client: 'breakers.trip', key: 'trip' },
  close: { client: 'breakers.close', key: 'close' },
  forget: { client: 'steps.forget', key: null },
  release: { client: 'workers.release', key: null },
  drain: { client: 'workers.drain', key: null },
  undo: { client: 'undo', key: 'undo' },
  // Programs read variables as they are stored.
  reveal: { client: null, key: null },
}

const all = Object.entries(ways) as readonly [OperationVerb, Ways][]

describe('the list of actions', () => {
  it.each(all)('has a command for %s, or a flag where it has no topic', (verb) => {
    if (verb === 'reveal') expect(flagsOf('jobs show')).toContain('reveal')
    else expect(manifestCommands().map(({ id }) => id)).toContain(idOf(commandOf(verb)))
  })

  it.each(all.filter(([, { client }]) => client !== null))(
    'has a client method for %s',
    async (_, { client }) => {
      const t = await testEngine()
      const made: unknown = createClient({
        store: t.store,
        clock: t.clock,
        who: 'shop',
      })
      const method = client?.split('.').reduce((at, name) => (at as Record<string, unknown>)[name], made)
      expect(method).toBeTypeOf('function')
    },
  )

  it.each(all.filter(([, { key }]) => key !== null))('has a key of the dashboard for %s', (_, { key }) => {
    expect(bindings.find(({ command }) => command === key)).toMatchObject({ group: 'change' })
  })

  it('names every key of the dashboard that changes something', () => {
    const keys = bindings.filter(({ group }) => group === 'change').map(({ command }) => command)
    // Editing variables is a resolution or a retry that sets them.
    const named = [...all.flatMap(([, { key }]) => key ?? []), 'edit']
    expect(new Set(keys)).toEqual(new Set(named))
  })

  it.each(all)('has an input for %s that knows each option of its command', (verb) => {
    if (verb === 'reveal') return
    const known = Object.keys(inputs[verb].def.shape)
    const own = flagsOf(commandOf(verb)).filter((name) => !ofTheTerminal.has(name))
    expect(own.length).toBeGreaterThan(0)
    const unknown = own.filter((name) => !known.includes(camel(name)))
    expect(unknown).toEqual([])
  })

  it('refuses an input with what is wrong and what is allowed', async () => {
    await expect(checkInput('trip', { breaker: 'stripe', for: '1ms' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^for is "1ms"; it must be .* from 1s to/),
    })
    await expect(checkInput('cancel', { keys: [17], reson: 'x' })).rejects.toMatchObject({
      message: 'reson is not an option',
      hint: expect.stringContaining('reason'),
    })
    expect(await checkInput('trip', { breaker: 'stripe', for: '10m' })).toEqual({
      breaker: 'stripe',
      for: 600_000,
    })
    expect(actions.reveal.scope).toBe('reveal')
  })
})

/** The selector is one text in an input; the others ask or edit on a terminal, or belong to `set`. */
const ofTheTerminal: ReadonlySet<string> = new Set([
  ...[
    'type',
    'state',
    'kind',
    'error',
    'code',
    'fingerprint',
    'since',
    'until',
    'older-than',
    'where',
    'worker',
  ],
  ...['yes', 'add', 'edit', 'handler', 'reveal'],
])

const idOf = (command: string) => command.replace(' ', ':')

function flagsOf(command: string): readonly string[] {
  const { flags = {} } = manifestCommands().find(({ id }) => id === idOf(command)) ?? {}
  return Object.entries(flags).flatMap(([name, { helpGroup }]) => (helpGroup === 'GLOBAL' ? [] : [name]))
}

const camel = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
