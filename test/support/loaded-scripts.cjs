// Preloaded into a process: writes the URL of every script that it has loaded to $LOADED_SCRIPTS when it exits.
const { Session } = require('node:inspector')
const { writeFileSync } = require('node:fs')

const file = process.env.LOADED_SCRIPTS
const urls = new Set()
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.add(params.url))
session.post('Debugger.enable')
process.on('exit', () => writeFileSync(file, JSON.stringify([...urls])))
