import { createServer } from 'node:net'

/** Addresses and ports of a server before it listens. */

/** This machine, in the host part of a URL: what is sent there stays on it. */
export const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/** The address of a server on this machine; the loopback address for one that listens on all interfaces. */
export function localAddress(host: string, port: number): string {
  const onAllInterfaces = host === '0.0.0.0' || host === '::'
  const name = onAllInterfaces ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** Chooses a free port for port 0, because addresses contain the port before the server listens. */
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
