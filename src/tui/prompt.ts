/** Text input for a filter or a command name. */
import { readFilter } from './filter.ts'
import { isPaste, pasteMark } from './key-names.ts'
import { commandsLike } from './keys.ts'
import { noMarks } from './selection.ts'
import { atTop } from './page-window.ts'
import { listOf, type Overlay, type State } from './state.ts'

type Prompt = Extract<Overlay, { kind: 'prompt' }>

const mostCharacters = 1_000

export function reducePrompt(state: State, prompt: Prompt, key: string): State {
  if (key === 'esc' || key === 'ctrl-c') return { ...state, overlay: null }
  if (key === 'enter')
    return prompt.of === 'filter'
      ? filtered(state, prompt)
      : { ...state, overlay: { ...prompt, error: 'no such command' } }
  if (key === 'tab' && prompt.of === 'palette')
    return { ...state, overlay: { ...prompt, text: commandsLike(prompt.text)[0] ?? prompt.text } }
  return { ...state, overlay: { ...prompt, text: edited(prompt.text, key), error: null } }
}

/** Applies a key, or pasted text, to the end of a line. */
export function edited(text: string, key: string): string {
  if (key === 'backspace') return [...text].slice(0, -1).join('')
  if (key === 'ctrl-u') return ''
  if (key === 'ctrl-w') return text.replace(/\S*\s*$/, '')
  if (key === 'space') return `${text} `
  // Names of other keys.
  if (/^(ctrl-.*|shift-tab|tab|up|down|left|right|pgup|pgdn|home|end|enter|esc)$/.test(key)) return text
  const typed = isPaste(key) ? key.slice(pasteMark.length) : key
  return `${text}${typed.replace(/\p{Cc}+/gu, ' ')}`.slice(0, mostCharacters)
}

function filtered(state: State, prompt: Prompt): State {
  const list = listOf(state)
  const filter = readFilter(prompt.text, { now: state.now, list })
  if (typeof filter === 'string') return { ...state, overlay: { ...prompt, error: filter } }
  const { [list]: _, ...rest } = state.filters
  const filters = filter === null ? rest : { ...rest, [list]: filter }
  const cursors = { ...state.cursors, [list]: { id: null, index: 0 } }
  return {
    ...state,
    filters,
    marks: noMarks,
    marking: null,
    overlay: null,
    cursors,
    positions: { ...state.positions, [list]: atTop },
  }
}

/** Returns the command that Enter runs, or null. */
export function paletteChoice(state: State): ReturnType<typeof commandsLike>[number] | null {
  if (state.overlay?.kind !== 'prompt' || state.overlay.of !== 'palette' || state.overlay.text.trim() === '')
    return null
  return commandsLike(state.overlay.text)[0] ?? null
}
