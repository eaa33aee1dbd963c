// One measurement of a worker that drains a backlog, the same for every contender.
import { perform, rssMb, start, workingPid } from './processes.mjs'

/**
 * Opens a fresh store with `jobs` in it. File stores are copied from a template; Redis is filled each time. With
 * `readOnly` the template itself is opened.
 */
export async function withBacklog({ place, contender, options, use }) {
  const copied = contender.name !== 'bullmq'
  const folder = copied
    ? await place.template(templateName(contender, options), {
        copied: !options.readOnly,
        async fill(made) {
          const store = await contender.open(made)
          await fill({ folder: made, contender, address: store.address, options })
          await store.close()
        },
      })
    : place.folder()
  const store = await contender.open(folder)
  try {
    if (!copied) await fill({ folder, contender, address: store.address, options })
    place.settle()
    return await use({ folder, store })
  } finally {
    await store.close()
    if (!options.readOnly) place.clear(folder)
  }
}

/** `prepare` comes before the jobs are added, `finish` after. */
async function fill({ folder, contender, address, options }) {
  const { jobs, bytes, spec = {}, durability, prepare, finish } = options
  await prepare?.(folder, address)
  await perform(folder, { contender: contender.name, action: 'fill', address, durability, jobs, bytes, spec })
  await finish?.(address)
}

function templateName(contender, { jobs, bytes, spec, olderKeys, prepareName, finishName }) {
  return `${contender.name} ${JSON.stringify([jobs, bytes, spec, olderKeys, prepareName, finishName])}`
}

/** Jobs a second from the first claim to the last durable completion; fails when one ran twice or is missing. */
export function drain({ place, contender, options }) {
  return withBacklog({
    place,
    contender,
    options,
    async use({ folder, store }) {
      const asked = { ...options, contender: contender.name, address: store.address }
      const worker = start(folder, {
        args: contender.command(asked),
        options: asked,
        env: contender.env?.(asked),
      })
      let rss = 0
      const sampler = setInterval(() => {
        rss = Math.max(rss, rssMb(workingPid(worker.pid)))
      }, 50)
      try {
        const [drained] = await worker.reports('drained')
        clearInterval(sampler)
        await worker.stop()
        const counts = await perform(folder, { ...asked, action: 'counts' })
        check(options.jobs, drained, counts, contender.name)
        return {
          rate: (options.jobs / drained.ms) * 1000,
          cpuUs: (drained.cpuMs / options.jobs) * 1000,
          rss,
          ...(drained.loopDelay ? { loopP99: drained.loopDelay.p99, loopMax: drained.loopDelay.max } : {}),
        }
      } finally {
        clearInterval(sampler)
        worker.kill()
      }
    },
  })
}

/** Every job ran exactly once, and the store says the same. */
export function check(jobs, { ran, once, repeated }, counts, name) {
  if (ran !== jobs || once !== jobs || repeated !== 0)
    throw new Error(`${name}: of ${jobs} jobs ${once} ran once and ${repeated} more than once (${ran} runs)`)
  if (counts.unfinished !== 0)
    throw new Error(`${name}: ${counts.unfinished} of ${jobs} jobs are not finished`)
  if (counts.completed < jobs)
    throw new Error(`${name}: only ${counts.completed} of ${jobs} jobs are completed in the store`)
}
