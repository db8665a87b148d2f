import { setTimeout as sleep } from 'node:timers/promises'
import { work } from '../test/helpers/load.ts'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { freePort } from '../test/helpers/ports.ts'
import { checkBatches, tokenOf } from '../test/helpers/tills.ts'
import { noticedAfter, startBalancer } from './balancer.ts'
import { prepareSite } from './site.ts'
import type { Scenario } from './trial.ts'

/** One round: the restart of one of three nodes, in rotation. */
export const rollingRestart: Scenario = {
  name: 'rolling restart',
  engines: ['postgres'],
  rounds: 60,
  share: 2,
  async run(trial) {
    const site = await prepareSite('postgres')
    const ports = [await freePort(), await freePort(), await freePort()]
    const bases = ports.map(port => `http://127.0.0.1:${port}`)
    const balancer = await startBalancer(bases)
    const env = {
      TILLGATE_BASE_URL: balancer.base,
      TILLGATE_LOG_LEVEL: 'error',
      TILLGATE_SHUTDOWN_DELAY: String(noticedAfter),
    }
    const start = (i: number): Promise<Node> => startNode(site.cli, { ...env, PORT: String(ports[i]) })
    const nodes = await Promise.all(ports.map((_, i) => start(i)))
    const broken: string[] = []
    let rounds = 0
    const untilReady = async (count: number) => {
      while (balancer.ready().length !== count) await sleep(20)
    }
    try {
      await untilReady(3)
      const bearer = {
        tills: await tokenOf(balancer.base, site.tills),
        reader: await tokenOf(balancer.base, site.reader),
      }
      const load = work(
        { base: balancer.base },
        { bearer, reader: site.reader, run: 'rolling', pause: trial.pause },
      )
      await load.progress(5)
      for (; rounds < trial.rounds && trial.goesOn() && broken.length === 0; rounds++) {
        const index = rounds % nodes.length
        const [code, signal] = await (nodes[index] as Node).stop()
        if (code !== 0) broken.push(`a node exited with ${signal ?? code}`)
        nodes[index] = await start(index)
        await untilReady(3)
        await load.progress(5)
        if (index === 2) trial.say(`${rounds + 1} restarts, ${load.seen.length} requests`)
      }
      await load.end()
      broken.push(...balancer.failures)
      for (const { what, status } of load.seen)
        if (status !== 200) broken.push(`${what} was answered ${status}`)
      await checkBatches(balancer.base, bearer.reader, load.acknowledged)
      const longest = Math.max(...load.seen.map(({ ms }) => ms))
      return {
        tried: `${rounds} restarts of three nodes in rotation, under load, behind a balancer that checks /health/ready`,
        found: `${load.seen.length} requests, none failed; the slowest took ${Math.round(longest)} ms; ${load.acknowledged.size} batches, all there`,
        broken,
      }
    } finally {
      for (const node of nodes) node.process.kill('SIGKILL')
      await balancer.close()
      await site.remove()
    }
  },
}
