// Writes down, when the process ends, the most memory that it ever had resident, in kB.
import { writeFileSync } from 'node:fs'

process.on('exit', () => writeFileSync(process.env.WF_BENCH_MEMORY, String(process.resourceUsage().maxRSS)))
