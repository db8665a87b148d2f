import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { assertFree } from '../lib/address.ts'

/**
 * Node takes one new connection from a listening socket in each turn of its event loop
 * (https://github.com/libuv/libuv/pull/3696). Under load turns are long, and a crowd that connects would wait for seconds
 * before anyone looks at it, even to be turned away. Linux spreads connections over all sockets that share an address:
 * so there are several, and as many are taken in each turn.
 */
export const doors = process.platform === 'linux' ? 256 : 1

/** The longest queue that the system allows: a crowd that connects at once waits for a moment instead of a second. */
const backlog = 4096

interface Where {
  host: string
  port: number
  /**
   * Whether another process has the address too: a worker with the same port. On Linux each has queues of its own; Node's
   * way, one that hands connections on, leaves those it has just handed to a worker that dies without an answer, for
   * ever; this way they are told at once.
   */
  shared: boolean
}

/** Listens until the app is closed. */
export async function listen(app: FastifyInstance, { host, port, shared }: Where): Promise<void> {
  if (doors === 1) {
    await app.listen({ host, port, backlog })
    return
  }
  const others = Array.from({ length: doors - 1 }, () => createDoor(app))
  let closed: Promise<unknown> = Promise.resolve()
  app.addHook('preClose', async () => {
    closed = Promise.all(others.map(door => new Promise(resolve => door.close(resolve))))
  })
  // Node's server waits for the connections of its own socket alone.
  app.addHook('onClose', () => closed)
  // A port that sockets share would be shared with a stranger too; nothing that takes time stands between look and leap.
  await app.ready()
  if (!shared) await assertFree(host, port)
  const where = { host, port, backlog, reusePort: true }
  await app.listen(where)
  const opened = await Promise.allSettled(
    others.map(async door => {
      door.listen(where)
      await once(door, 'listening')
      door.on('error', error => app.log.warn({ err: error }, 'a connection could not be taken'))
    }),
  )
  for (const outcome of opened) if (outcome.status === 'rejected') throw outcome.reason
}

/** As Node's HTTP server makes its own sockets, to which it adds what comes in here. */
const createDoor = (app: FastifyInstance): Server =>
  createServer({ allowHalfOpen: true, noDelay: true }, socket => app.server.emit('connection', socket))
