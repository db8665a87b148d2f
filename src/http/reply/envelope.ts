import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { challenges } from './challenges.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every answer carries a timestamp, errors too, so the renderers need the clock. */
    clock: Clock
  }
}

/** Spec 2.1, as text around stored JSON: the data of an answer is never parsed. */

export const json = 'application/json; charset=utf-8'

export const head = (timestamp: number): string =>
  `{"status":{"timestamp":${timestamp},"ack":200,"errors":null},"data":`

export const tail = '}'

/** Answers 200 with data that already is JSON text. */
export function sendData(reply: FastifyReply, data: string): FastifyReply {
  return reply.type(json).send(head(reply.server.clock.now()) + data + tail)
}

export const errorBody = ({ code, message, details, status }: ApiError, timestamp: number): string =>
  JSON.stringify({ status: { timestamp, ack: status, errors: { code, message, details } }, data: null })

export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  const challenge = challenges[error.code]
  if (challenge !== undefined) reply.header('www-authenticate', challenge)
  return reply
    .code(error.status)
    .headers(error.headers)
    .type(json)
    .send(errorBody(error, reply.server.clock.now()))
}
