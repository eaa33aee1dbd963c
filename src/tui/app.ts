/** The one component: draws the frame of the present state, and hands on what is typed. Ink and React come from outside, loaded late. */
import type * as Ink from 'ink'
import type * as React from 'react'
import type { Frames } from './frames.ts'
import { keysOf } from './keys.ts'

export interface Desk extends Pick<Frames, 'lines' | 'subscribe'> {
  press(key: string): void
}

export interface AppParts {
  ink: Pick<typeof Ink, 'Text' | 'Transform' | 'useInput'>
  react: Pick<typeof React, 'createElement' | 'useCallback' | 'useSyncExternalStore'>
  desk: Desk
}

/**
 * Ink measures every text it has not met before and keeps the measures for ever, which a screen of ticking figures would
 * turn into a leak. So it measures a block of blanks, and the lines take their place when it puts the frame together.
 */
export function Dashboard({ ink, react, desk }: AppParts): React.ReactNode {
  const { createElement, useCallback, useSyncExternalStore } = react
  const lines = useSyncExternalStore(desk.subscribe, desk.lines)
  const pressed = useCallback<KeyHandler>(
    (input, key) => {
      for (const name of keysOf(input, key)) desk.press(name)
    },
    [desk],
  )
  ink.useInput(pressed)
  const transform = (_: string, row: number) => lines[row] ?? ''
  return createElement(ink.Transform, { transform }, createElement(ink.Text, null, blanks(lines.length)))
}

type KeyHandler = Parameters<typeof Ink.useInput>[0]

const blanks = (count: number) => Array.from({ length: count }, () => ' ').join('\n')
