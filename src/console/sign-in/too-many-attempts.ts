import type { FastifyReply } from 'fastify'

/** The sentence for a throttled attempt; sets the header of the answer, which is to have status 429. */
export function tooManyAttempts(reply: FastifyReply, seconds: number): string {
  reply.header('retry-after', String(seconds))
  return `Too many attempts. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`
}
