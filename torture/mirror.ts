import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from '../src/storage/open.ts'
import { runClient, startClient } from '../test/helpers/client-command.ts'
import { startNode } from '../test/helpers/nodes.ts'
import { tokenOf } from '../test/helpers/tills.ts'
import { sqliteProblems } from './database.ts'
import { prepareSite } from './site.ts'
import { createTill, type Till } from './till.ts'
import type { Outcome, Scenario, Trial } from './trial.ts'

/** One round: `tillgate-client mirror --follow` is started, and killed at a random moment, once for each format. */
export const mirror: Scenario = {
  name: 'mirror',
  engines: ['sqlite', 'postgres'],
  rounds: 100,
  share: 2,
  run,
}

const stores = [1, 2, 3, 4]
const formats = ['sqlite', 'ndjson'] as const

async function run(trial: Trial): Promise<Outcome> {
  const { random } = trial
  const site = await prepareSite(trial.engine, { stores })
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-mirror-torture-'))
  const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
  const storage = await openStorage(site.database.url)
  const broken: string[] = []
  const sum = { kills: 0, inWalk: 0, feeds: 0 }
  const stopped = new AbortController()
  const fileOf = (format: string) => join(folder, `copy.${format}`)
  const target = (format: string) => ['--url', node.base, '--to', fileOf(format), '--json']
  // Small pages: a walk takes long enough to be killed in.
  const mirrorOf = (format: string) => [
    'mirror',
    ...target(format),
    '--format',
    format,
    '--count',
    '100',
    '--parallel',
    '2',
  ]
  try {
    const till = createTill({ base: node.base, bearer: await tokenOf(node.base, site.tills), stores, random })
    await till.push(2000)
    const selling = till.sell(stopped.signal)
    while (sum.kills < trial.rounds * formats.length && trial.goesOn() && broken.length === 0) {
      if (random.chance(0.15)) {
        await storage.changes.renewHistory()
        sum.feeds++
      }
      const mirrors = formats.map(format => startClient([...mirrorOf(format), '--follow'], site.reader))
      const exits = mirrors.map(each => once(each, 'exit'))
      await Promise.race([sleep(random.between(100, 1000)), ...exits])
      for (const each of mirrors) {
        if (each.exitCode !== null) broken.push(`mirror ended by itself: ${each.stderr.read()}`)
        each.kill('SIGKILL')
      }
      await Promise.all(exits)
      sum.kills += mirrors.length
      const found = stateOf(fileOf('sqlite'))
      broken.push(...found.problems.map(problem => `after ${sum.kills} kills: ${problem}`))
      if (found.isInWalk) sum.inWalk++
      if (sum.kills % 20 === 0) trial.say(`${sum.kills} kills`)
    }
    stopped.abort()
    await selling
    for (const format of formats) {
      const { code, stdout, stderr } = await runClient(mirrorOf(format), site.reader)
      if (code !== 0 || !JSON.parse(stdout).complete)
        broken.push(`mirror ended with ${code}: ${stdout}${stderr}`)
    }
    const { code, stdout, stderr } = await runClient(['verify', ...target('sqlite')], site.reader)
    if (code !== 0) broken.push(`verify ended with ${code}: ${stdout}${stderr}`)
    broken.push(...differences(till, 'SQLite', sqliteOrders(fileOf('sqlite'))))
    broken.push(...differences(till, 'NDJSON', ndjsonOrders(fileOf('ndjson'))))
    return {
      tried:
        `tillgate-client mirror --follow killed with SIGKILL ${sum.kills} times at a random moment, half of them with a SQLite file and half with NDJSON, ` +
        `while a till stored ${till.stored()} new, corrected and back-dated orders in ${stores.length} stores; the feed was renewed ${sum.feeds} times`,
      found:
        `after each kill the SQLite file was sound and its position that of its data (${sum.inWalk} kills hit a walk that had not ended); ` +
        `at the end both copies had exactly the ${till.orders.size} orders of the till, and verify said complete (${JSON.parse(stdout).requests} requests)`,
      broken,
    }
  } finally {
    stopped.abort()
    await node.stop()
    await storage.close()
    await site.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a kill left: a sound file, in which no entry is ahead of the position of its store. */
function stateOf(file: string): { problems: string[]; isInWalk: boolean } {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    const tables = db.prepare("select 1 from sqlite_schema where name = 'stores'").get()
    if (!tables) return { problems: [], isInWalk: true }
    const ahead = db
      .prepare(`select count(*) as n from orders join stores using (store_id)
        where orders.walk > stores.walk or (orders.walk = stores.walk and orders.seq > stores.seq)`)
      .get()?.['n']
    const problems = sqliteProblems(file)
    if (ahead !== 0) problems.push(`${ahead} orders are ahead of the position of their store`)
    const walking = db.prepare('select 1 from stores where not complete').get()
    return { problems, isInWalk: walking !== undefined }
  } finally {
    db.close()
  }
}

function sqliteOrders(file: string): Map<string, string> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare("select id, data ->> 'order_number' as number from orders").all()
    return new Map(rows.map(({ id, number }) => [String(id), String(number)]))
  } finally {
    db.close()
  }
}

/** As client/README.md says: the last line of an order is its newest version; a higher walk voids those above. */
function ndjsonOrders(file: string): Map<string, string> {
  const byStore = new Map<number, { walk: number; orders: Map<string, string> }>()
  for (const text of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const { kind, store_id, id, data, walk } = JSON.parse(text)
    const store = byStore.get(store_id) ?? { walk: 0, orders: new Map<string, string>() }
    byStore.set(store_id, store)
    if (kind === 'order') store.orders.set(id, data.order_number)
    if (kind === 'position' && walk > store.walk) byStore.set(store_id, { walk, orders: new Map() })
  }
  return new Map([...byStore.values()].flatMap(({ orders }) => [...orders]))
}

function differences({ orders }: Till, name: string, copy: ReadonlyMap<string, string>): string[] {
  const wrong = [...orders].filter(([id, number]) => copy.get(id) !== number)
  const foreign = [...copy.keys()].filter(id => !orders.has(id))
  if (wrong.length + foreign.length === 0) return []
  return [`${name}: ${wrong.length} orders missing or old, such as ${wrong[0]}; ${foreign.length} too many`]
}
