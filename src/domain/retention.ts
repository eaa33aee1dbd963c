/** How long what has ended is kept. */

export interface RetentionPolicy {
  /** Age in ms after which rows go; null keeps them. */
  finishedMs: number | null
  deadLettersMs: number | null
  idempotencyKeysMs: number | null
  statsMs: number | null
}
