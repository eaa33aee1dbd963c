/**
 * Between the keys, the state and the world: what a key means now, and what is to be done outside for it. It knows neither
 * Ink nor SQL; changes go through `act`, and the terminal through whoever lends it.
 */
import { Changes, type ChangesParts, type Editor } from './changes.ts'
import { copiedCommand } from './copy.ts'
import type { StateDesk } from './state-store.ts'
import { equivalentCommand } from './as-command.ts'
import { isPaste } from './key-names.ts'
import { commandOf, isVerb, type Command } from './keys.ts'
import { paletteChoice } from './prompt.ts'
import { queryOf, type Confirm, type State } from './state.ts'

export interface Controller {
  press(key: string): void
  /** Stops what is under way between two batches, and waits for it. */
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
  const { desk, outside, poke } = parts
  const changes = new Changes(parts)
  const dispatch = (event: Parameters<StateDesk['dispatch']>[0]) => {
    const before = JSON.stringify(queryOf(desk.state()))
    desk.dispatch(event)
    if (JSON.stringify(queryOf(desk.state())) !== before) poke(false)
  }
  const show = (command: string, under: Confirm | null) =>
    dispatch({ type: 'showed', overlay: { kind: 'copy', command, copied: false, under } })
  const run = (command: Command) => {
    if (isVerb(command)) return changes.ask(command)
    if (command === 'quit') return outside.quit()
    if (command === 'suspend') return outside.suspend()
    if (command === 'copy') return show(copiedCommand(desk.state()), null)
    if (command === 'redraw') {
      outside.redraw()
      return poke(true)
    }
    dispatch({ type: 'command', command })
    if (command === 'freeze') poke(false)
    if (command === 'mark-all' && desk.state().marking !== null) changes.markAll()
  }
  const overlaid = (key: string): boolean => {
    const { overlay } = desk.state()
    const choice = key === 'enter' ? paletteChoice(desk.state()) : null
    if (overlay === null) return false
    if (overlay.kind === 'help') dispatch(helpEvent(key))
    else if (choice !== null) {
      dispatch({ type: 'showed', overlay: null })
      run(choice)
    } else if (overlay.kind === 'copy' && key === 'y') {
      outside.copy(overlay.command)
      dispatch({ type: 'showed', overlay: { ...overlay, copied: true } })
    } else if (overlay.kind === 'confirm' && isCopied(overlay, key))
      show(equivalentCommand(overlay, desk.state().suffix), overlay)
    else if (overlay.kind === 'confirm' && changes.hears(overlay, key)) return true
    else dispatch({ type: 'typed', key })
    return true
  }
  return {
    press(key) {
      if (isPaste(key)) return void (takesText(desk.state()) && dispatch({ type: 'typed', key }))
      const command = commandOf(key)
      // Of the terminal, whatever lies over the screen: who believes to be in the shell must not answer a panel.
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
    ? ({ type: 'showed', overlay: null } as const)
    : ({ type: 'command', command } as const)
}
