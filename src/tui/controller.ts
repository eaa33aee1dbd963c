/**
 * Handles keys: dispatches events to the state and calls what lies outside of it. It knows neither
 * Ink nor SQL; changes go through `Changes`, and the terminal through `Outside`.
 */
import { Changes, type ChangesParts, type Editor } from './changes.ts'
import { copiedCommand, equivalentCommand } from './as-command.ts'
import type { StateStore } from './state-store.ts'
import { isPaste } from './key-names.ts'
import { commandOf, isVerb, type Command } from './keys.ts'
import { paletteChoice } from './prompt.ts'
import { queryOf, type Confirm, type State } from './state.ts'

export interface Controller {
  press(key: string): void
  /** Stops the running change between two batches, and waits for it. */
  stop(): Promise<void>
}

export interface ControllerParts extends ChangesParts {
  outside: Outside
}

/** What only the terminal can do. */
export interface Outside extends Editor {
  quit(): void
  suspend(): void
  redraw(): void
  /** Puts text on the clipboard. */
  copy(text: string): void
}

export function createController(parts: ControllerParts): Controller {
  const { stateStore, outside, poke } = parts
  const changes = new Changes(parts)
  const dispatch = (event: Parameters<StateStore['dispatch']>[0]) => {
    const before = JSON.stringify(queryOf(stateStore.state()))
    stateStore.dispatch(event)
    if (JSON.stringify(queryOf(stateStore.state())) !== before) poke(false)
  }
  const show = (command: string, under: Confirm | null) =>
    dispatch({ type: 'overlaid', overlay: { kind: 'copy', command, copied: false, under } })
  const run = (command: Command) => {
    if (isVerb(command)) return changes.ask(command)
    if (command === 'quit') return outside.quit()
    if (command === 'suspend') return outside.suspend()
    if (command === 'copy') return show(copiedCommand(stateStore.state()), null)
    if (command === 'redraw') {
      outside.redraw()
      return poke(true)
    }
    dispatch({ type: 'command', command })
    if (command === 'freeze') poke(false)
    if (command === 'mark-all' && stateStore.state().marking !== null) changes.markAll()
  }
  const overlaid = (key: string): boolean => {
    const { overlay } = stateStore.state()
    const choice = key === 'enter' ? paletteChoice(stateStore.state()) : null
    if (overlay === null) return false
    if (overlay.kind === 'help') dispatch(helpEvent(key))
    else if (choice !== null) {
      dispatch({ type: 'overlaid', overlay: null })
      run(choice)
    } else if (overlay.kind === 'copy' && key === 'y') {
      outside.copy(overlay.command)
      dispatch({ type: 'overlaid', overlay: { ...overlay, copied: true } })
    } else if (overlay.kind === 'confirm' && isCopied(overlay, key))
      show(equivalentCommand(overlay, stateStore.state().suffix), overlay)
    else if (overlay.kind === 'confirm' && changes.takes(overlay, key)) return true
    else dispatch({ type: 'typed', key })
    return true
  }
  return {
    press(key) {
      if (isPaste(key)) return void (takesText(stateStore.state()) && dispatch({ type: 'typed', key }))
      const command = commandOf(key)
      // These act on the terminal, also while a panel is open: a person who believes to be in the shell must not confirm it.
      if (command === 'suspend' || command === 'redraw') return run(command)
      if (overlaid(key)) return
      if (command !== null) run(command)
    },
    stop: () => changes.stop(),
  }
}

const takesText = ({ overlay }: State) =>
  overlay?.kind === 'prompt' || (overlay?.kind === 'confirm' && overlay.typing)

const isCopied = ({ status, typing }: Confirm, key: string) =>
  status === 'ready' && !typing && commandOf(key) === 'copy'

const helpEvent = (key: string) => {
  const command = commandOf(key)
  return command === null
    ? ({ type: 'overlaid', overlay: null } as const)
    : ({ type: 'command', command } as const)
}
