/**
 * Runs the dashboard: puts its parts together, and restores the terminal on every exit,
 * before an error is reported.
 */
import type { Clock } from '../clock.ts'
import { isStoreGone } from '../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { StoreReader } from '../store/port.ts'
import { createController } from './controller.ts'
import { clipboardSequence, createTerminal, type Terminal, type TerminalStreams } from './terminal.ts'
import { createStateStore } from './state-store.ts'
import { editText } from './edit.ts'
import { startApp } from './app.ts'
import { frameOf } from './frame.ts'
import { createFrameOutput, type FrameOutput, type FrameSink } from './frame-output.ts'
import { createFrames, type Frames } from './frames.ts'
import { createKeyInput } from './key-input.ts'
import type { Screen } from './keys.ts'
import type { Paint } from '../terminal/paint.ts'
import { sourceOf } from './source.ts'
import type { Query } from './snapshot.ts'
import { initialState, itemsOf, queryOf, type State } from './state.ts'
import { listenForSignals, type Stop, type Signals } from './signals.ts'
import { startSnapshotPoller } from './snapshot-poller.ts'

export interface DashboardOptions extends TerminalStreams {
  store: StoreReader & { now(): number }
  openEngine(): Promise<Engine>
  clock: Clock
  paint: Paint
  screen: Screen
  refreshMs: number
  readOnly: boolean
  suffix: string
  who: string
}

/** Ages and countdowns advance while nothing else happens. */
const tickMs = 1_000
const mostTicks = 5

/** Resolves with the signal that ended it, or null if a key did. Rejects with the error that ended it. */
export async function startDashboard(options: DashboardOptions): Promise<Stop> {
  const { clock, stdin, stdout } = options
  const terminal = createTerminal(options)
  const output = createFrameOutput({
    get columns() {
      return stdout.columns
    },
    // After a stop, timers run before SIGCONT arrives: a frame then would be drawn over the shell's screen. `repaint` follows.
    write: (text: string) => !terminal.isTaken || stdout.write(text),
  } as FrameSink)
  const ending = whatEnds()
  const stops = listenForSignals({ ...{ terminal, clock }, ...ending, repaint: output.repaint })
  const parts = putTogether(options, { terminal, output, ending, stops })
  const keys = createKeyInput(stdin, clock)
  try {
    terminal.enter()
    const stopShowing = showMeanwhile(parts.frames, output)
    const app = await startApp({
      ...{ frames: parts.frames, press: parts.press },
      ...{ stdin: keys.stdin, stdout: output.stdout },
    }).finally(stopShowing)
    app.ended.catch(ending.fail)
    try {
      return await ending.ended
    } finally {
      parts.stateStore.close()
      app.unmount()
    }
  } finally {
    keys.close()
    stops.release()
    terminal.leave()
    await parts.stop()
  }
}

/** Shows frames without Ink, which takes longer to load than the store to answer. Returns a function that ends it. */
function showMeanwhile(frames: Frames, output: FrameOutput): () => void {
  const show = () => output.show(frames.lines())
  show()
  return frames.subscribe(show)
}

interface Ending {
  stop(signal: Stop): void
  fail(error: unknown): void
  ended: Promise<Stop>
}

function whatEnds(): Ending {
  let stop: Ending['stop'] = () => {}
  let fail: Ending['fail'] = () => {}
  const ended = new Promise<Stop>((resolve, reject) => {
    stop = resolve
    fail = reject
  })
  // It may be rejected before anything awaits it.
  ended.catch(() => undefined)
  return { stop, fail, ended }
}

interface Around {
  terminal: Terminal
  output: FrameOutput
  ending: Ending
  stops: Signals
}

function putTogether(options: DashboardOptions, { terminal, output, ending, stops }: Around) {
  const { store, clock, paint, screen, refreshMs, readOnly, suffix, who, stdout } = options
  const source = sourceOf(store, clock)
  const stateStore = createStateStore(
    initialState({ size: terminal.size(), now: store.now(), screen, readOnly, suffix }),
    clock,
  )
  let followedMs = Number.NEGATIVE_INFINITY
  const snapshots = startSnapshotPoller({
    ...{ source, clock, refreshMs },
    query: () => wantedNow(stateStore.state()),
    onRead(snapshot) {
      stateStore.dispatch({ type: 'read', snapshot })
      // The selection moved to another row, whose detail is read at once, but only once a refresh if rows change fast.
      const moved = JSON.stringify(snapshot.query) !== JSON.stringify(queryOf(stateStore.state()))
      if (!moved || clock.monotonic() - followedMs < refreshMs) return
      followedMs = clock.monotonic()
      snapshots.poke()
    },
    onFirst: (snapshot) => stateStore.dispatch({ type: 'read', snapshot }),
    onSame: (at) => stateStore.dispatch({ type: 'unchanged', at }),
    onFailure: (error) =>
      isStoreGone(error)
        ? ending.fail(error)
        : stateStore.dispatch({ type: 'failed', why: messageOf(error), at: source.now() }),
  })
  const controller = createController({
    ...{ stateStore, source, clock, who, openEngine: options.openEngine },
    poke: (anew) => snapshots.poke({ anew }),
    outside: {
      quit: () => ending.stop(null),
      suspend: () => stops.suspend(),
      redraw: output.repaint,
      copy: (text) => void stdout.write(clipboardSequence(text)),
      edit: (text) => lend({ terminal, output }, () => editText(text, process.env)),
    },
  })
  const resized = () => {
    output.forget()
    stateStore.dispatch({ type: 'resized', size: terminal.size() })
    snapshots.poke()
  }
  stdout.on('resize', resized)
  const frames = createFrames({
    draw: () => frameOf(stateStore.state(), paint),
    subscribe: stateStore.subscribe,
    // A terminal that can't keep up gets the newest frame only.
    isReady: () => !stdout.writableNeedDrain,
    failed: ending.fail,
  })
  stdout.on('drain', frames.refresh)
  const ticking = tick({
    clock,
    frames,
    ticked: () => stateStore.dispatch({ type: 'ticked', now: store.now() }),
  })
  const stop = async () => {
    stdout.off('resize', resized)
    stdout.off('drain', frames.refresh)
    ticking()
    await Promise.all([snapshots.stop(), controller.stop()])
  }
  return { stateStore, frames, press: controller.press, stop }
}

/** Returns the query; of a frozen screen only for pages never read and for an open detail. */
function wantedNow(state: State): Query | null {
  return state.frozen && state.figures && !state.open && itemsOf(state) !== null ? null : queryOf(state)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Ticks once a second, less often while frames stay the same. Returns a function that ends it. */
function tick({ clock, frames, ticked }: { clock: Clock; frames: Frames; ticked(): void }): () => void {
  let cancel = () => {}
  const next = () => {
    cancel = clock.after(tickMs * Math.min(mostTicks, 1 + frames.quiet()), () => {
      ticked()
      next()
    })
  }
  next()
  return () => cancel()
}

/** Gives the terminal away while a function runs. */
function lend<T>({ terminal, output }: Pick<Around, 'terminal' | 'output'>, work: () => T): T {
  terminal.leave()
  try {
    return work()
  } finally {
    terminal.enter()
    output.repaint()
  }
}
