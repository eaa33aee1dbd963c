// Runs commands of the built wf one after the other in this process, so that a test pays for starting Node.js once and not at
// each command. Each message is one command; its answer is what a process of its own would have printed, and its exit code.
// Standard input is empty. test/commands/host.test.ts compares it with real processes.
const program = new URL('../../dist/cli/run.js', import.meta.url).href
const listened = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit']
let runs = 0

/** Thrown in place of ending the process. */
class Exit extends Error {}

process.on('message', ({ args, cwd, env }) => {
  void run(args, cwd, env).then((end) => process.send(end))
})
const exit = process.exit.bind(process)
process.on('disconnect', () => exit(0))
// What is still in flight when a command exits rejects later.
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Exit)) throw error
})

async function run(args, cwd, env) {
  const restore = prepare(args, cwd, env)
  const printed = { out: capture(process.stdout), err: capture(process.stderr) }
  let code = null
  const exited = new Promise((resolve) => {
    process.exit = (given) => {
      code ??= Number(given ?? process.exitCode ?? 0)
      resolve()
      throw new Exit()
    }
  })
  runs += 1
  await Promise.race([import(`${program}?${runs}`).catch(ignoreExit), exited])
  code ??= Number(process.exitCode ?? 0)
  restore()
  return { code, out: printed.out(), err: printed.err() }
}

function prepare(args, cwd, env) {
  const before = { exit: process.exit, argv: process.argv, umask: process.umask() }
  const listeners = listened.map((event) => [event, process.listeners(event)])
  process.argv = [process.argv[0], new URL('../../bin/run.js', import.meta.url).pathname, ...args]
  process.exitCode = undefined
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  return () => {
    process.exit = before.exit
    process.argv = before.argv
    process.umask(before.umask)
    process.exitCode = undefined
    process.chdir('/')
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('drain')
    for (const [event, kept] of listeners) {
      for (const listener of process.listeners(event))
        if (!kept.includes(listener)) process.off(event, listener)
    }
  }
}

/** Collects what is written to a stream until the returned function is called, which answers it. */
function capture(stream) {
  const chunks = []
  const write = stream.write
  stream.write = (chunk, encoding, done) => {
    chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8'))
    const taken = typeof encoding === 'function' ? encoding : done
    if (taken) queueMicrotask(() => taken())
    return true
  }
  return () => {
    stream.write = write
    return Buffer.concat(chunks).toString()
  }
}

function ignoreExit(error) {
  if (!(error instanceof Exit)) throw error
}
