import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that waits for a change, or has waited. */
    wait?: Wait
    /** The pattern of a path that has other methods than the one of the request, which is 405. */
    other_methods_route?: string
  }
}

interface Wait {
  /** Milliseconds: time without work. */
  waited: number
  /** When a change ended the wait, by `performance.now()`; null when the last wait ended without one. */
  woken_at: number | null
  /** The connection is closed. */
  hasLeft?: boolean
  /** Called when the connection closes. */
  leave?(): void
}

/** nginx's status for a request whose client closed the connection before the response. */
export const clientClosedRequest = 499

/** How a request ended. `route` is the pattern, never the URL: URLs are unbounded, and can carry codes and tokens. */
export interface RequestEnd {
  request: FastifyRequest
  method: string
  route: string | null
  address: string
  /** The response's status, or `clientClosedRequest` when no response had begun. */
  status: number
  milliseconds: number
  /** The connection closed before the response was complete. */
  aborted: boolean
}

type AnswerListener = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Calls listeners when a response begins and when a request ends. Fastify's hooks do not run for responses that are
 * written past it, for requests that are cut off halfway, nor for those with an unreadable URL.
 */
export function createRequestEnds() {
  const listeners: ((end: RequestEnd) => void)[] = []
  const answerListeners: AnswerListener[] = []
  return {
    listen: (listener: (end: RequestEnd) => void): void => void listeners.push(listener),
    /** Called before the first byte is sent, while headers can still be added. */
    listenToAnswers: (listener: AnswerListener): void => void answerListeners.push(listener),
    /** Code that writes a response past Fastify calls this first. */
    answering(reply: FastifyReply): void {
      for (const listener of answerListeners) listener(reply.request, reply)
    },
    watch(request: FastifyRequest, reply: FastifyReply): void {
      const { raw } = reply
      // Read now: a closed socket has no address.
      const address = request.ip
      raw.once('close', () => {
        const { wait } = request
        if (wait) {
          wait.hasLeft = true
          wait.leave?.()
        }
        const end: RequestEnd = {
          request,
          method: request.method,
          route: request.routeOptions.url ?? request.other_methods_route ?? null,
          address,
          status: raw.headersSent ? raw.statusCode : clientClosedRequest,
          milliseconds: reply.elapsedTime - (wait?.waited ?? 0),
          aborted: !raw.writableFinished,
        }
        for (const listener of listeners) {
          // An error in an event ends the process.
          try {
            listener(end)
          } catch (err) {
            request.log.error({ err }, 'the end of a request could not be recorded')
          }
        }
      })
    },
  }
}

export type RequestEnds = ReturnType<typeof createRequestEnds>
