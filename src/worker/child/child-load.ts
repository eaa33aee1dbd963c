/** Loading in a child: within its time, and narrowed to the types that were asked for. */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { didYouMean, nearWords } from '../../text/suggest.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import type { ChildSetup } from '../ipc.ts'

/** Rejects when the modules have not been loaded in time; a module that never yields is ended by the supervisor. */
export function within<T>(
  loading: Promise<T>,
  { files, loadMs }: Pick<ChildSetup, 'files' | 'loadMs'>,
  clock: Clock,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = () => {
      const hint = 'a handler module defines handlers and returns: it must not wait for ever at its top level'
      reject(
        new WfError(
          'handler_load_failed',
          `loading ${files.join(', ')} took longer than ${loadMs / 1000} s`,
          { hint },
        ),
      )
    }
    const cancel = clock.after(loadMs, tooLate)
    loading.then(resolve, reject).finally(cancel)
  })
}

export function handlersFor(
  loaded: ReadonlyMap<string, LoadedHandler>,
  { types }: Pick<ChildSetup, 'types'>,
): ReadonlyMap<string, LoadedHandler> {
  if (types.length === 0) return loaded
  const missing = types.filter((type) => !loaded.has(type))
  if (missing.length > 0) {
    const message = `no handler for ${missing.map((type) => JSON.stringify(type)).join(', ')} was loaded`
    throw new WfError('handler_load_failed', message, {
      hint: didYouMean(
        nearWords(missing, [...loaded.keys()]),
        `these were: ${[...loaded.keys()].join(', ')}`,
      ),
    })
  }
  return new Map([...loaded].filter(([type]) => types.includes(type)))
}
