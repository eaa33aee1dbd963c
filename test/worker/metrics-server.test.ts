import { describe, expect, it, onTestFinished } from 'vitest'
import { serveMetrics } from '../../src/worker/metrics-server.ts'

async function served(text: () => Promise<string>) {
  const server = await serveMetrics(0, { contentType: 'text/plain', text })
  onTestFinished(() => server.close())
  return { ...server, port: server.port, url: `http://127.0.0.1:${server.port}` }
}

describe('the page of metrics', () => {
  it('is served at /metrics, and nothing else is', async () => {
    const { url } = await served(async () => 'wf_workers 1\n')
    const page = await fetch(`${url}/metrics?x=1`)
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
      200,
      'text/plain',
      'wf_workers 1\n',
    ])
    expect((await fetch(`${url}/jobs`)).status).toBe(404)
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
  })

  it('answers 503 with the reason while the store cannot be read, and goes on', async () => {
    let broken = true
    const { url } = await served(async () => {
      if (broken) throw new Error('the store is locked')
      return 'fine'
    })
    const page = await fetch(`${url}/metrics`)
    expect([page.status, await page.text()]).toEqual([503, 'the store is locked'])
    broken = false
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
  })

  it('refuses a port that somebody else has', async () => {
    const { port } = await served(async () => '')
    await expect(serveMetrics(port, { contentType: '', text: async () => '' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`--metrics-port ${port}`),
    })
  })
})
