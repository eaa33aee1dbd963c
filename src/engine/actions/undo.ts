/** Takes an operation back, target by target, where nothing has happened since. */
import { undoRefusal, type Operation, type Undone, type UndoRefusal } from '../../domain/operation.ts'
import type { StoreReader } from '../../store/port.ts'
import { writer, type Engine } from '../engine.ts'
import { foretellUndo, undoablePages, undoOperation } from '../undo.ts'
import type { ActionContext, Run } from './action.ts'

/** `of` is null if the store keeps no such operation, or none that can be undone. */
export type UndoPlan =
  | { of: Operation; refusal: null }
  | { of: Operation; refusal: UndoRefusal }
  | { of: null; id: number | null; refusal: 'not found' }

/** Finds the operation of this id; null: the last one that can be undone. */
export async function planUndo(reader: StoreReader, id: number | null, now: number): Promise<UndoPlan> {
  const of =
    id === null
      ? ((await reader.operations({ undoable: true }, { limit: 1 })).items[0] ?? null)
      : await reader.operation(id)
  return of === null ? { of, id, refusal: 'not found' } : { of, refusal: undoRefusal(of, now) }
}

/** Applies the store's rules without writing. */
export async function previewUndo(
  { reader }: Engine,
  { id }: Operation,
  { signal, onBatch }: Run<Undone>,
): Promise<void> {
  for await (const { items } of undoablePages(reader, id)) {
    if (signal?.aborted) return
    const undone: Undone[] = []
    for (const target of items) undone.push(await foretellUndo(reader, target, reader.now()))
    onBatch?.(undone)
  }
}

/** Returns the undo's own operation. */
export function applyUndo(
  { engine, clock, who }: ActionContext,
  { of, reason }: { of: Operation; reason: string | null },
  run: Pick<Run<Undone>, 'signal' | 'onBatch'> = {},
): Promise<Operation> {
  return undoOperation({ store: engine[writer], clock, of, who, reason, ...run })
}
