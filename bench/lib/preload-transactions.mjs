// Loaded into a measured process by `node --import`: times each write transaction from BEGIN to COMMIT, whoever runs it.
import { createRequire } from 'node:module'
import { report } from './report.mjs'

const Database = createRequire(new URL('../../package.json', import.meta.url))('better-sqlite3')
const { prepare, exec } = Database.prototype
const tookUs = []
let beganNs = 0n

function note(source, call) {
  if (/^\s*BEGIN/i.test(source)) {
    const result = call()
    beganNs = process.hrtime.bigint()
    return result
  }
  const result = call()
  if (/^\s*(COMMIT|END)/i.test(source)) tookUs.push(Number(process.hrtime.bigint() - beganNs) / 1000)
  return result
}

Database.prototype.prepare = function (source) {
  const statement = prepare.call(this, source)
  if (!/^\s*(BEGIN|COMMIT|END)/i.test(source)) return statement
  const { run } = statement
  statement.run = (...values) => note(source, () => run.apply(statement, values))
  return statement
}
Database.prototype.exec = function (source) {
  return note(source, () => exec.call(this, source))
}

process.once('exit', () => {
  const sorted = tookUs.sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  report('transactions', {
    count: sorted.length,
    p50: at(0.5) / 1000,
    p99: at(0.99) / 1000,
    longest: at(1) / 1000,
  })
})
