// Preloaded into a process and its children: each writes the URLs of the scripts that it has loaded to a file of its own in the folder
// $LOADED_SCRIPTS when it exits.
const { Session } = require('node:inspector')
const { writeFileSync } = require('node:fs')
const { join } = require('node:path')

const file = join(process.env.LOADED_SCRIPTS, `${process.pid}.json`)
const urls = new Set()
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.add(params.url))
session.post('Debugger.enable')
process.on('exit', () => writeFileSync(file, JSON.stringify([...urls])))
