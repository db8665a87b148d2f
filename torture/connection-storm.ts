import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ordersOf } from '../test/helpers/load.ts'
import { startNode } from '../test/helpers/nodes.ts'
import { pushBatch, tokenOf } from '../test/helpers/tills.ts'
import { flood } from './flood.ts'
import { prepareSite } from './site.ts'
import type { Scenario } from './trial.ts'

const busyClients = 64
const newClients = 1000

/** Milliseconds until 99 of 100 new clients have the first byte of their answer, and until a client gives up. */
const limit = 2000
const clientTimeout = 10_000

/** On a machine that does other work too, the limit is this many times the p99 of the busy clients. */
const timesBusy = 20

/** One round: many clients connect at once, while others keep the server busy over connections that stay open. */
export const connectionStorm: Scenario = {
  name: 'connection storm',
  engines: ['sqlite', 'postgres'],
  rounds: 5,
  share: 1,
  async run(trial) {
    const site = await prepareSite(trial.engine)
    const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
    const times: number[] = []
    let busy_p99 = 0
    let unanswered = 0
    let rounds = 0
    try {
      const pushed = await pushBatch(node.base, await tokenOf(node.base, site.tills), 'batch')
      await pushed.arrayBuffer()
      const headers = { authorization: `Bearer ${await tokenOf(node.base, site.reader)}` }
      const requests = [{ path: ordersOf(1), headers }]
      for (; rounds < trial.rounds && trial.goesOn(); rounds++) {
        const busy = flood({ base: node.base, requests, connections: busyClients, rate: 0, seconds: 6 })
        await sleep(2000)
        const url = node.base + ordersOf(1)
        const all = await Promise.all(Array.from({ length: newClients }, () => firstByte(url, headers)))
        const { statuses } = await busy
        busy_p99 = Math.max(busy_p99, statuses[200]?.p99 ?? 0)
        for (const ms of all) {
          if (ms === null) unanswered++
          else times.push(ms)
        }
      }
    } finally {
      node.process.kill('SIGKILL')
      await site.remove()
    }
    const p99 = Math.round(times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0)
    const most = trial.busyMachine ? Math.max(limit, timesBusy * busy_p99) : limit
    return {
      tried: `${rounds} times ${newClients} new connections at once beside ${busyClients} clients that keep theirs and never pause`,
      found: `all were answered, the first byte after ${p99} ms at p99; the busy clients had a p99 of ${busy_p99} ms`,
      broken: [
        ...(unanswered > 0 ? [`${unanswered} new connections had no answer in ${clientTimeout} ms`] : []),
        ...(p99 > most ? [`new connections had their first byte after ${p99} ms at p99`] : []),
      ],
    }
  },
}

/** Milliseconds from the attempt to connect to the first byte of the answer; null without an answer. */
function firstByte(url: string, headers: Record<string, string>): Promise<number | null> {
  return new Promise(resolve => {
    const began = performance.now()
    const sent = request(url, { headers, agent: false, timeout: clientTimeout }, response => {
      resolve(performance.now() - began)
      response.resume()
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(null))
    sent.end()
  })
}
