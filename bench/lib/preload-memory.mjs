// Writes down, when the process ends, the most memory that it ever had resident (kB) and the CPU that it took (µs).
import { writeFileSync } from 'node:fs'

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeFileSync(process.env.WF_BENCH_MEMORY, JSON.stringify({ maxRSS, cpuUs: userCPUTime + systemCPUTime }))
})
