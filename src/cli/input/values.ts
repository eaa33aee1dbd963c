/** Reading what was typed: the domain's way, under the names that the flags know. */
import {
  readChoice,
  readDeadline,
  readDuration,
  readInstant,
  readInteger,
  readText,
  type Range,
} from '../../text/parse-input.ts'

export { readChoice, readDeadline, readDuration, readInstant, readInteger, readText, type Range }
