/** Words for a command line that is shown to be copied. */
import { quoted } from '../domain/shell-words.ts'

export { quoted }
