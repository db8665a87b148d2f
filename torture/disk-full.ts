import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ordersOf } from '../test/helpers/load.ts'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { checkBatches, type Client, pushBatch, tokenOf } from '../test/helpers/tills.ts'
import { sqliteProblems } from './database.ts'
import { prepareSite } from './site.ts'
import { limitFileSize, mountSmallDisk, type SmallDisk } from './small-disk.ts'
import type { Outcome, Scenario } from './trial.ts'

export const diskFull: Scenario = {
  name: 'disk full',
  engines: ['sqlite'],
  rounds: 20,
  share: 1,
  async run(trial) {
    const broken: string[] = []
    const sum = { rounds: 0, stored: 0, refused: 0, reads: 0 }
    while (sum.rounds < trial.rounds && trial.goesOn() && broken.length === 0) {
      for (const [name, disk] of [
        ['a tmpfs', mountSmallDisk(4 + trial.random.between(0, 8))],
        ['a file-size limit', limitFileSize(3 + trial.random.between(0, 4))],
      ] as const) {
        if (disk === null) continue
        const { broken: problems, ...figures } = await fillDisk(disk)
        broken.push(...problems.map(problem => `${name}: ${problem}`))
        sum.rounds++
        sum.stored += figures.stored
        sum.refused += figures.refused
        sum.reads += figures.reads
      }
    }
    return outcome(sum, broken)
  },
}

const outcome = (
  { rounds, stored, refused, reads }: { rounds: number; stored: number; refused: number; reads: number },
  broken: string[],
): Outcome => ({
  tried: `${rounds} disks filled to the last page under load, then enlarged (tmpfs where it may be mounted, otherwise a file-size limit)`,
  found:
    `${stored} batches stored and all of them there, ${refused} rejected with 503 and Retry-After, ${reads} pages read meanwhile; ` +
    `writing resumed by itself when there was space`,
  broken,
})

export interface Filled {
  stored: number
  refused: number
  reads: number
  broken: string[]
}

/** Pushes batches until the disk is full and some more, reads meanwhile, adds space, and checks the stored batches. */
export async function fillDisk(disk: SmallDisk): Promise<Filled> {
  const file = join(disk.folder, 'tillgate.db')
  const problems = () => sqliteProblems(file)
  const database = { url: file, server: null, problems, remove: async () => {} }
  const site = await prepareSite('sqlite', { database, apps: 1 })
  // Its first token request comes when the disk is full, so the secret's last use cannot be stored.
  const [late = site.reader] = site.apps
  const node = await startNode(disk.limited(site.cli), { TILLGATE_LOG_LEVEL: 'silent' })
  const filled: Filled = { stored: 0, refused: 0, reads: 0, broken: [] }
  const acknowledged = new Set<string>()
  try {
    const bearer = {
      tills: await tokenOf(node.base, site.tills),
      reader: await tokenOf(node.base, site.reader),
    }
    const push = async (name: string): Promise<number> => {
      const response = await pushBatch(node.base, bearer.tills, name)
      const text = await response.text()
      if (response.status === 200) acknowledged.add(name)
      else if (response.status !== 503) filled.broken.push(`a batch was answered ${response.status}: ${text}`)
      else if (!(Number(response.headers.get('retry-after')) > 0))
        filled.broken.push('503 without Retry-After')
      return response.status
    }
    for (let n = 0; filled.refused < 10 && n < 2000 && filled.broken.length === 0; n++) {
      if ((await push(`fill.${n}`)) === 503) filled.refused++
      if (filled.refused === 1) disk.fill(node.process.pid ?? 0)
      filled.broken.push(
        ...(await readProblems(node, bearer.reader, filled.refused > 5 ? late : site.reader)),
      )
      filled.reads++
    }
    if (filled.refused === 0) filled.broken.push('the disk was never full')
    disk.grow(node.process.pid ?? 0)
    const resumed = await succeedsWithin(5000, async n => (await push(`after.${n}`)) === 200)
    if (!resumed) filled.broken.push('writing did not resume when there was space')
    filled.stored = acknowledged.size
    await checkBatches(node.base, bearer.reader, acknowledged)
    filled.broken.push(...problems())
  } catch (error) {
    filled.broken.push(error instanceof Error ? error.message : String(error))
  } finally {
    await node.stop()
    await site.remove()
    disk.remove()
  }
  return filled
}

/** Reads a page and gets a token, which needs no write. */
async function readProblems(node: Node, token: string, client: Client): Promise<string[]> {
  const page = await node.get(ordersOf(1), token)
  const live = await node.get('/health/live')
  const { client_id, client_secret } = client
  const own = await node.post('/auth/v2/token', {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
  })
  return [
    ...(page.status === 200 ? [] : [`a page was answered ${page.status}`]),
    ...(live.status === 200 ? [] : [`/health/live was answered ${live.status}`]),
    ...(own.status === 200 ? [] : [`a request for a token was answered ${own.status}`]),
  ]
}

async function succeedsWithin(ms: number, step: (n: number) => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + ms
  for (let n = 0; performance.now() < until; n++) {
    if (await step(n)) return true
    await sleep(50)
  }
  return false
}
