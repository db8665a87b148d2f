import type { FastifyReply, FastifyRequest } from 'fastify'

/** The status of a request whose client went away first, as others number it too. */
export const clientLeft = 499

/** How a request went. `route` is the pattern, never the address: addresses are endless, and can carry codes and tokens. */
export interface RequestEnd {
  request: FastifyRequest
  method: string
  route: string | null
  address: string
  /** What the client was told, or `clientLeft` when no answer had begun. */
  status: number
  milliseconds: number
  /** The connection ended before the answer was out. */
  aborted: boolean
}

type AnswerListener = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Tells of every request when its answer is there, and when it is over. Fastify's own hooks are not told of answers
 * that are written past it, of requests that are cut off halfway, nor of those whose address cannot be read.
 */
export function createRequestEnds() {
  const listeners: ((end: RequestEnd) => void)[] = []
  const answerListeners: AnswerListener[] = []
  return {
    listen: (listener: (end: RequestEnd) => void): void => void listeners.push(listener),
    /** Told before the first byte leaves, in time for another header. */
    listenToAnswers: (listener: AnswerListener): void => void answerListeners.push(listener),
    /** To be called by whoever writes an answer. */
    answering(reply: FastifyReply): void {
      for (const listener of answerListeners) listener(reply.request, reply)
    },
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
          status: raw.headersSent ? raw.statusCode : clientLeft,
          milliseconds: reply.elapsedTime,
          aborted: !raw.writableFinished,
        }
        for (const listener of listeners) listener(end)
      })
    },
  }
}

export type RequestEnds = ReturnType<typeof createRequestEnds>
