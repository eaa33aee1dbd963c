/** Metrics over HTTP for a scraper on this machine: loopback only, read only, one page. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WfError } from '../errors.ts'

export interface MetricsServer {
  /** The one that it listens on; the system's choice when 0 was asked for. */
  readonly port: number
  close(): void
}

export interface MetricsPage {
  contentType: string
  text(): Promise<string>
}

const host = '127.0.0.1'

/** Rejects with WfError `usage` when the port cannot be had. */
export function serveMetrics(port: number, page: MetricsPage): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?')[0]
    if (request.method !== 'GET' || (path !== '/metrics' && path !== '/')) {
      response.writeHead(request.method === 'GET' ? 404 : 405).end()
      return
    }
    try {
      const text = await page.text()
      response.writeHead(200, { 'content-type': page.contentType }).end(text)
    } catch (error) {
      response.writeHead(503).end(error instanceof Error ? error.message : String(error))
    }
  })
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new WfError('usage', `--metrics-port ${port} cannot be used: ${cause.message}`, {
          hint: 'take another port, or 0 for any that is free',
          cause,
        }),
      )
    })
    server.listen(port, host, () => {
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      // A worker that has nothing else to do may end.
      server.unref()
      resolve({ port: (server.address() as AddressInfo).port, close })
    })
  })
}
