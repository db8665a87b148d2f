import type { FastifyReply, FastifyRequest } from 'fastify'

/** How a request went. `route` is the pattern, never the address: addresses are endless, and can carry codes and tokens. */
export interface RequestEnd {
  request: FastifyRequest
  method: string
  route: string | null
  address: string
  status: number
  milliseconds: number
  /** The connection ended before the answer was out. */
  aborted: boolean
}

/**
 * Tells of every request when it is over. Fastify's own hook is not told of those that are cut off halfway, nor of
 * those whose address cannot be read.
 */
export function createRequestEnds() {
  const listeners: ((end: RequestEnd) => void)[] = []
  return {
    listen: (listener: (end: RequestEnd) => void): void => void listeners.push(listener),
    watch(request: FastifyRequest, reply: FastifyReply): void {
      const { raw } = reply
      // Read now: a socket that is gone has no address any more.
      const address = request.ip
      raw.once('close', () => {
        const end: RequestEnd = {
          request,
          method: request.method,
          route: request.routeOptions.url ?? null,
          address,
          status: raw.statusCode,
          milliseconds: reply.elapsedTime,
          aborted: !raw.writableFinished,
        }
        for (const listener of listeners) listener(end)
      })
    },
  }
}

export type RequestEnds = ReturnType<typeof createRequestEnds>
