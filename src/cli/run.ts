/** Where the program starts. Loads no command: the framework loads the one that was typed, as the manifest names it. */
import { fileURLToPath } from 'node:url'
import { execute, settings } from '@oclif/core'

// Traces name the sources, not what was built from them; read only when there is a trace to show.
if (process.env['DEBUG']) process.setSourceMapsEnabled(true)
// Help and version are written by the framework, which throws what is not EPIPE out of an event: that ends in a stack.
process.stdout.removeAllListeners('error')
process.stdout.on(
  'error',
  (error) => void import('../terminal/streams.ts').then(({ writeFailed }) => writeFailed(error)),
)
// dist is what runs, whatever NODE_ENV says.
settings.enableAutoTranspile = false
// No code but its own: plugins that somebody put into the user's folders are not loaded.
await execute({
  loadOptions: {
    root: fileURLToPath(new URL('../../package.json', import.meta.url)),
    userPlugins: false,
    devPlugins: false,
  },
})
