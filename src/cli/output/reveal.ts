/** Refuses to reveal secrets where that can't be recorded. */
import { WfError } from '../../errors.ts'

/** Explains the error of a store that can't be written. */
export async function orUnrecorded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof WfError && (error.code === 'store_read_only' || error.code === 'store_full')))
      throw error
    throw new WfError(
      error.code,
      `--reveal is kept on record, and the store cannot be written\n${error.message}`,
      {
        hint: 'leave --reveal out, or look as a user who may write the store',
      },
    )
  }
}
