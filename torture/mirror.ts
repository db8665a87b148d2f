import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from '../src/storage/open.ts'
import type { ChangesPage } from '../client/src/types.ts'
import { formatDatetime } from '../src/lib/datetime.ts'
import { createCli } from '../test/helpers/cli.ts'
import { runClient, startClient } from '../test/helpers/client-command.ts'
import { startDemo } from '../test/helpers/demo.ts'
import { startNode } from '../test/helpers/nodes.ts'
import { tokenOf } from '../test/helpers/tills.ts'
import { createDatabase, sqliteProblems } from './database.ts'
import { createTill } from './till.ts'
import type { Outcome, Scenario, Trial } from './trial.ts'

/**
 * One round: `tillgate-client mirror --follow` of a server that runs `tillgate demo --live` is started, and killed at a
 * random moment, once for each format.
 */
export const mirror: Scenario = {
  name: 'mirror',
  engines: ['sqlite', 'postgres'],
  rounds: 100,
  share: 2,
  run,
}

const stores = [1001, 1002, 1003, 1004]
const formats = ['sqlite', 'ndjson'] as const

async function run(trial: Trial): Promise<Outcome> {
  const { random } = trial
  const began = formatDatetime(Math.floor(Date.now() / 1000))
  const database = await createDatabase(trial.engine)
  const cli = await createCli({ database: database.url })
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-mirror-torture-'))
  const size = ['--stores', String(stores.length), '--orders', '2000', '--days', '30']
  const demo = await startDemo(cli, ['--live', ...size])
  const storage = await openStorage(database.url)
  const broken: string[] = []
  const sum = { kills: 0, inWalk: 0, feeds: 0 }
  const stopped = new AbortController()
  const reader = demo.app('Dashboard')
  const fileOf = (format: string, name = 'copy') => join(folder, `${name}.${format}`)
  const target = (base: string, format: string, name?: string) => [
    '--url',
    base,
    '--to',
    fileOf(format, name),
    '--json',
  ]
  // Small pages: a walk takes long enough to be killed in.
  const small = ['--count', '100', '--parallel', '2']
  const mirrorOf = (base: string, format: string, name?: string) => [
    'mirror',
    ...target(base, format, name),
    '--format',
    format,
    ...small,
  ]

  /** Both copies are brought up to date, and verify compares the SQLite file with the receipts. */
  async function finish(base: string): Promise<string> {
    for (const format of formats) {
      const { code, stdout, stderr } = await runClient(mirrorOf(base, format), reader)
      if (code !== 0 || !JSON.parse(stdout).complete)
        broken.push(`mirror ended with ${code}: ${stdout}${stderr}`)
    }
    const { code, stdout, stderr } = await runClient(['verify', ...target(base, 'sqlite')], reader)
    if (code !== 0) broken.push(`verify ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }

  try {
    const bearer = await tokenOf(demo.base, demo.app('Tills'))
    const till = createTill({ base: demo.base, bearer, stores, random })
    await till.push(2000)
    const selling = till.sell(stopped.signal)
    // Milliseconds that a whole copy takes here: kills hit the start, the walk and the following.
    const copying = performance.now()
    await once(startClient(mirrorOf(demo.base, 'sqlite', 'timed'), reader), 'exit')
    const whole = performance.now() - copying
    while (sum.kills < trial.rounds * formats.length && trial.goesOn() && broken.length === 0) {
      if (random.chance(0.15)) {
        await storage.changes.renewHistory()
        sum.feeds++
      }
      const mirrors = formats.map(format => startClient([...mirrorOf(demo.base, format), '--follow'], reader))
      const exits = mirrors.map(each => once(each, 'exit'))
      await Promise.race([sleep(random.between(0, Math.round(1.5 * whole))), ...exits])
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
    const alive = JSON.parse(await finish(demo.base))
    // Without its tills, so that the copies can be compared with all that the server has.
    await demo.stop()
    const node = await startNode(cli, { TILLGATE_LOG_LEVEL: 'error' })
    try {
      await finish(node.base)
      const held = await heldOrders(node.base, await tokenOf(node.base, reader))
      broken.push(...differences(held, 'SQLite', sqliteOrders(fileOf('sqlite'))))
      broken.push(...differences(held, 'NDJSON', ndjsonOrders(fileOf('ndjson'))))
      const live = [...held.values()].filter(text => JSON.parse(text).updated_at >= began).length
      return {
        tried:
          `tillgate-client mirror --follow killed with SIGKILL ${sum.kills} times at a random moment, half of them with a SQLite file and half with NDJSON, ` +
          `while tillgate demo --live sold, refunded and corrected ${live} orders, and another till stored ${till.stored()} new, corrected and back-dated ones; ` +
          `the feed was renewed ${sum.feeds} times`,
        found:
          `after each kill the SQLite file was sound and its position that of its data (${sum.inWalk} kills hit a walk that had not ended); ` +
          `verify said complete while the demo ran (${alive.requests} requests) and after it; both copies had exactly the ${held.size} orders of the server`,
        broken,
      }
    } finally {
      await node.stop()
    }
  } finally {
    stopped.abort()
    await demo.stop()
    await storage.close()
    cli.remove()
    await database.remove()
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

type Orders = Map<string, string>

/** The orders of the server as text, by store and id, read from `changes`. */
async function heldOrders(base: string, token: string): Promise<Orders> {
  const orders: Orders = new Map()
  for (const store_id of stores) {
    let place = 'after=0'
    for (let more = true; more; ) {
      const url = `${base}/integration/v1/changes?store_id=${store_id}&kinds=order&count=2000&${place}`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`)
      const { data } = (await answer.json()) as { data: ChangesPage }
      for (const { id, data: order } of data.changes) orders.set(`${store_id} ${id}`, JSON.stringify(order))
      more = data.more
      place = `after=${data.next}&feed=${data.feed}`
    }
  }
  return orders
}

function sqliteOrders(file: string): Orders {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare('select store_id, id, data from orders').all()
    return new Map(
      rows.map(({ store_id, id, data }) => [`${store_id} ${id}`, JSON.stringify(JSON.parse(String(data)))]),
    )
  } finally {
    db.close()
  }
}

/** As client/README.md says: the last line of an order is its newest version; a higher walk voids those above. */
function ndjsonOrders(file: string): Orders {
  const byStore = new Map<number, { walk: number; orders: Orders }>()
  for (const text of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const { kind, store_id, id, data, walk } = JSON.parse(text)
    const store = byStore.get(store_id) ?? { walk: 0, orders: new Map<string, string>() }
    byStore.set(store_id, store)
    if (kind === 'order') store.orders.set(`${store_id} ${id}`, JSON.stringify(data))
    if (kind === 'position' && walk > store.walk) byStore.set(store_id, { walk, orders: new Map() })
  }
  return new Map([...byStore.values()].flatMap(({ orders }) => [...orders]))
}

function differences(held: Orders, name: string, copy: Orders): string[] {
  const wrong = [...held].filter(([id, order]) => copy.get(id) !== order)
  const foreign = [...copy.keys()].filter(id => !held.has(id))
  if (wrong.length + foreign.length === 0) return []
  return [`${name}: ${wrong.length} orders missing or old, such as ${wrong[0]}; ${foreign.length} too many`]
}
