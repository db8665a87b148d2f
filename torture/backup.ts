import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { work } from '../test/helpers/load.ts'
import { startNode } from '../test/helpers/nodes.ts'
import { checkBatches, tokenOf } from '../test/helpers/tills.ts'
import { sqliteProblems } from './database.ts'
import { prepareSite, type Site } from './site.ts'
import type { Scenario } from './trial.ts'

/** One round: a backup taken under load, restored and served. */
export const backup: Scenario = {
  name: 'backup',
  engines: ['sqlite', 'postgres'],
  rounds: 30,
  share: 1,
  async run(trial) {
    const site = await prepareSite(trial.engine)
    const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
    const broken: string[] = []
    let rounds = 0
    let batches = 0
    try {
      const bearer = {
        tills: await tokenOf(node.base, site.tills),
        reader: await tokenOf(node.base, site.reader),
      }
      for (; rounds < trial.rounds && trial.goesOn() && broken.length === 0; rounds++) {
        const load = work(node, { bearer, reader: site.reader, run: `backup.${rounds}`, pause: trial.pause })
        await load.progress(10)
        const before = new Set(load.acknowledged)
        const copy = join(site.cli.folder, `copy-${rounds}.db`)
        await take(site, copy)
        await load.end()
        broken.push(...(await restored(site, node.base, copy, before)))
        batches += before.size
        rmSync(copy, { force: true })
      }
    } catch (error) {
      broken.push(error instanceof Error ? error.message : String(error))
    } finally {
      await node.stop()
      await site.remove()
    }
    const how = trial.engine === 'sqlite' ? 'tillgate backup' : 'tillgate copy into a SQLite file'
    return {
      tried: `${rounds} backups under load (${how}), each restored and served`,
      found: `each is sound and holds the ${batches} batches that were acknowledged before it began, others whole or not at all; sales equal orders, and tokens issued before are valid`,
      broken,
    }
  },
}

/** Takes the online backup that Tillgate offers for the engine. */
async function take({ cli, database }: Site, copy: string): Promise<void> {
  const args = database.server ? ['copy', '--from', database.url, '--to', copy] : ['backup', copy]
  const { code, stderr } = await cli.spawn(args)
  if (code !== 0) throw new Error(`tillgate ${args[0]} exited with ${code}: ${stderr}`)
}

async function restored(
  { cli, reader }: Site,
  issuer: string,
  copy: string,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const problems = sqliteProblems(copy)
  const env = { TILLGATE_DATABASE: copy, TILLGATE_BASE_URL: issuer, TILLGATE_LOG_LEVEL: 'error' }
  const node = await startNode(cli, env)
  try {
    await checkBatches(node.base, await tokenOf(node.base, reader), acknowledged)
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await node.stop()
  }
  return problems
}
