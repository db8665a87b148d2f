import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { assertFree } from '../lib/address.ts'

/** Only Linux spreads connections over sockets that share an address. */
const canShareAddress = process.platform === 'linux'

/** How many of the configured listeners this platform uses. */
export const usedListeners = (configured: number): number => (canShareAddress ? configured : 1)

/** The longest accept queue that Linux allows by default: a burst of connections waits instead of connecting again. */
const backlog = 4096

interface ListenOptions {
  host: string
  port: number
  /** Sockets that listen on the address. */
  listeners: number
  /**
   * Whether worker processes listen on the same port. Each has its own listeners: a connection that Node's cluster module
   * hands to a worker that dies is never closed.
   */
  shared: boolean
}

/**
 * Listens until the app is closed. Node accepts one connection of each listening socket in an iteration of its event loop
 * (https://github.com/libuv/libuv/pull/3696), and under load iterations are long. Linux spreads connections over sockets
 * that share an address (SO_REUSEPORT), so several listeners accept as many at a time.
 */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<void> {
  const { host, port, shared } = options
  if (!canShareAddress) {
    await app.listen({ host, port, backlog })
    return
  }
  const others = Array.from({ length: options.listeners - 1 }, () => createListener(app))
  let closed: Promise<unknown> = Promise.resolve()
  app.addHook('preClose', async () => {
    closed = Promise.all(others.map(listener => new Promise(resolve => listener.close(resolve))))
  })
  // Node's HTTP server waits for the connections of its own listener alone.
  app.addHook('onClose', () => closed)
  await app.ready()
  // SO_REUSEPORT would share the port with a foreign process too. Nothing slow happens between this check and listening.
  if (!shared) await assertFree(host, port)
  const address = { host, port, backlog, reusePort: true }
  await app.listen(address)
  const opened = await Promise.allSettled(
    others.map(async listener => {
      listener.listen(address)
      await once(listener, 'listening')
      listener.on('error', error => app.log.warn({ err: error }, 'a connection could not be accepted'))
    }),
  )
  for (const outcome of opened) if (outcome.status === 'rejected') throw outcome.reason
}

/** Has the options of the HTTP server's own listener, and hands its connections to that server. */
const createListener = (app: FastifyInstance): Server =>
  createServer({ allowHalfOpen: true, noDelay: true }, socket => app.server.emit('connection', socket))
