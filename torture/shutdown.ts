import { setTimeout as sleep } from 'node:timers/promises'
import { ordersOf } from '../test/helpers/load.ts'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { batchText, checkBatches, tokenOf } from '../test/helpers/tills.ts'
import { persistentClient, Unanswered } from './persistent-client.ts'
import { prepareSite, type Site } from './site.ts'
import type { Scenario } from './trial.ts'

const stopLimit = 10_000

/** One round: SIGTERM at a random moment under load. */
export const shutdown: Scenario = {
  name: 'shutdown',
  engines: ['sqlite', 'postgres'],
  rounds: 100,
  share: 2,
  async run(trial) {
    const site = await prepareSite(trial.engine)
    const broken: string[] = []
    const acknowledged = new Set<string>()
    let rounds = 0
    let answers = 0
    let slowest = 0
    try {
      for (; rounds < trial.rounds && trial.goesOn() && broken.length === 0; rounds++) {
        const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
        const load = await startLoad(node, site, `${rounds}`, acknowledged)
        while (load.answers() < 20) await sleep(5)
        await sleep(trial.random.between(0, 300))
        const began = performance.now()
        const [code, signal] = await node.stop()
        slowest = Math.max(slowest, performance.now() - began)
        if (code !== 0) broken.push(`the server exited with ${signal ?? code}`)
        broken.push(...(await load.end()))
        answers += load.answers()
      }
      if (slowest > stopLimit)
        broken.push(`the server took ${Math.round(slowest)} ms to stop; the limit is ${stopLimit} ms`)
      const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
      await checkBatches(node.base, await tokenOf(node.base, site.reader), acknowledged)
      await node.stop()
    } finally {
      await site.remove()
    }
    return {
      tried: `${rounds} times SIGTERM at a random moment, with 12 clients that keep their connections`,
      found: `${answers} answers, no accepted request was dropped; stopped within ${Math.round(slowest)} ms, always with exit code 0`,
      broken,
    }
  },
}

/** Clients that send requests until the server refuses connections. Reports every accepted request without an answer. */
async function startLoad(node: Node, site: Site, run: string, acknowledged: Set<string>) {
  const bearer = {
    tills: await tokenOf(node.base, site.tills),
    reader: await tokenOf(node.base, site.reader),
  }
  const { client_id, client_secret } = site.reader
  const problems: string[] = []
  let answers = 0
  const requests = [
    () => ({ path: ordersOf(1), headers: { authorization: `Bearer ${bearer.reader}` } }),
    () => ({
      method: 'POST',
      path: '/auth/v2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })),
    }),
    (name: string) => ({
      method: 'POST',
      path: '/platform/v1/records',
      body: batchText(name, 1),
      headers: { authorization: `Bearer ${bearer.tills}`, 'content-type': 'application/x-ndjson' },
    }),
  ]
  const sendUntilRefused = async (number: number) => {
    const client = persistentClient(node.base)
    const requestOf = requests[number % requests.length] as (name: string) => Parameters<typeof client.ask>[0]
    for (let n = 0; ; n++) {
      const name = `${run}.${number}.${n}`
      const asked = requestOf(name)
      try {
        const { status, text } = await client.ask(asked)
        answers++
        if (status !== 200)
          problems.push(`${asked.path.split('?')[0]} was answered ${status}: ${text.slice(0, 200)}`)
        else if (asked.path === '/platform/v1/records') acknowledged.add(name)
      } catch (error) {
        if (!(error instanceof Unanswered && error.refused))
          problems.push(`${asked.path.split('?')[0]}: ${error}`)
        return client.close()
      }
    }
  }
  const all = Promise.all(Array.from({ length: 12 }, (_, number) => sendUntilRefused(number)))
  return {
    answers: () => answers,
    async end(): Promise<string[]> {
      await all
      return problems
    },
  }
}
