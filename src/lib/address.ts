import { createServer } from 'node:net'

/** Where a server is reached, and a port for it, before it listens. */

/** The address of a server on this machine. One that listens everywhere is reached at the loopback address. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** Port 0 asks for any free one; this says which, because addresses name the port before the server has it. */
export function settlePort(host: string, port: number): Promise<number> {
  return port === 0 ? probe(host, 0) : Promise.resolve(port)
}

/** Rejects with EADDRINUSE when another process listens there. */
export async function assertFree(host: string, port: number): Promise<void> {
  await probe(host, port)
}

function probe(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address() as { port: number }
      server.close(() => resolve(address.port))
    })
  })
}
