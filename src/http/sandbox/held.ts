import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../errors.ts'
import { networkOf } from '../../lib/network.ts'

/** Milliseconds that an answer is held back; clients commonly give up earlier. */
const heldFor = 60_000
/** Requests that a process holds at a time, in all and of one network. */
const most = { inAll: 200, ofNetwork: 20 }

/** Requests that get no answer: after a minute, or when the server stops, their connections are closed. */
export function createHeld() {
  const all = new Map<ServerResponse, string>()
  const ofNetwork = (network: string): number => [...all.values()].filter(each => each === network).length

  return {
    hold(request: FastifyRequest, reply: FastifyReply): void {
      const { raw } = reply
      const network = networkOf(request.ip)
      if (all.size >= most.inAll || ofNetwork(network) >= most.ofNetwork) {
        const message = `Too many requests wait for their timeout; the most is ${most.ofNetwork} from one network and ${most.inAll} in all`
        throw fail('service_unavailable', message)
      }
      const began = performance.now()
      request.wait = {
        get waited() {
          return performance.now() - began
        },
        woken_at: null,
      }
      reply.hijack()
      all.set(raw, network)
      const timer = setTimeout(() => raw.destroy(), heldFor)
      raw.once('close', () => {
        clearTimeout(timer)
        all.delete(raw)
      })
    },
    end(): void {
      for (const raw of all.keys()) raw.destroy()
    },
  }
}
