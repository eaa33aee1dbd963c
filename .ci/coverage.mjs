// The share of lines that tests reach, by folder, held against what is demanded.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const demanded = { domain: 95, store: 95, engine: 95, worker: 95 }

/** A sentence for every folder that falls short. Reads coverage/coverage-summary.json. */
export function coverageFaults(root) {
  const summary = JSON.parse(readFileSync(join(root, 'coverage/coverage-summary.json'), 'utf8'))
  return Object.entries(demanded).flatMap(([folder, percent]) => {
    const files = Object.entries(summary).filter(([file]) => file.startsWith(join(root, 'src', folder, '/')))
    const lines = files.map(([, { lines }]) => lines)
    const covered = lines.reduce((sum, { covered }) => sum + covered, 0)
    const total = lines.reduce((sum, { total }) => sum + total, 0)
    const reached = total === 0 ? 0 : (100 * covered) / total
    process.stdout.write(`   src/${folder}: ${reached.toFixed(1)} % of ${total} lines\n`)
    if (reached >= percent) return []
    const worst = files
      .map(([file, { lines }]) => `${file.slice(root.length + 1)} ${lines.covered}/${lines.total}`)
      .filter((file) => !/ (\d+)\/\1$/.test(file))
    return [`src/${folder}: ${reached.toFixed(1)} % of lines are covered, ${percent} % are demanded: ${worst.join(', ')}`]
  })
}
