/** The dashboard on Ink: one component that draws the present frame, a row a `Text`, and passes on what is typed. */
import type * as Ink from 'ink'
import type * as React from 'react'
import type { Frames } from './frames.ts'
import { keysOf } from './key-names.ts'

export interface AppOptions {
  frames: Pick<Frames, 'lines' | 'subscribe'>
  press(key: string): void
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  /** Most frames a second that Ink writes; 0 for each (default: 60). */
  maxFps?: number
}

export interface App {
  /** Rejects with the error that ended Ink. */
  readonly ended: Promise<unknown>
  unmount(): void
}

/** Loads Ink and React, and draws until it is unmounted. */
export async function startApp({ frames, press, stdin, stdout, maxFps = 60 }: AppOptions): Promise<App> {
  const [ink, react] = await loadInk()
  const { unmount, waitUntilExit } = ink.render(
    react.createElement(Dashboard, { ink, react, frames, press }),
    { stdin, stdout, exitOnCtrlC: false, patchConsole: false, maxFps },
  )
  return { ended: waitUntilExit(), unmount }
}

/**
 * React reads NODE_ENV when it is loaded; its development build measures every render and keeps the measures. With CI set, Ink
 * would draw nothing before its end.
 */
async function loadInk() {
  const { env } = process
  const before = Object.fromEntries(['CI', 'CONTINUOUS_INTEGRATION'].map((name) => [name, env[name]]))
  env['NODE_ENV'] = 'production'
  for (const name of Object.keys(before)) delete env[name]
  try {
    return await Promise.all([import('ink'), import('react')])
  } finally {
    for (const [name, value] of Object.entries(before)) if (value !== undefined) env[name] = value
  }
}

type Libraries = {
  ink: Pick<typeof Ink, 'Box' | 'Text' | 'Transform' | 'useInput'>
  react: Pick<typeof React, 'createElement' | 'useCallback' | 'useSyncExternalStore'>
}

/** Ink and React arrive as props, since they are loaded late. */
function Dashboard({ ink, react, frames, press }: Libraries & Pick<AppOptions, 'frames' | 'press'>) {
  const { createElement, useCallback, useSyncExternalStore } = react
  const lines = useSyncExternalStore(frames.subscribe, frames.lines)
  const typed = useCallback<Parameters<typeof Ink.useInput>[0]>(
    (input, key) => {
      for (const name of keysOf(input, key)) press(name)
    },
    [press],
  )
  ink.useInput(typed)
  const rows = lines.map((text, row) => createElement(Row, { key: row, ink, react, text }))
  return createElement(ink.Box, { flexDirection: 'column' }, rows)
}

/**
 * Ink keeps the measure of every text it has ever laid out: on a screen of ticking figures that is a leak. It measures one
 * blank, and the row's text takes its place when the frame is put together.
 */
function Row({ ink: { Text, Transform }, react: { createElement }, text }: Libraries & { text: string }) {
  return createElement(Transform, { transform: () => text }, createElement(Text, null, ' '))
}
