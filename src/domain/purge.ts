/** Dead letters that a person deletes: the stored copies go, the jobs stay what they are. */
export interface Purge {
  /** Keys of their jobs. */
  keys: readonly number[]
  /** Open ones too: their jobs are cancelled for good first. Without it an open one is passed by. */
  open: boolean
  who: string
  reason: string | null
  /** What became of each is written as a target of this operation. */
  operation?: number
}
