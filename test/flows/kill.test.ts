import assert from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Cli, createCli } from '../helpers/cli.ts'
import { freePort } from '../helpers/ports.ts'

/**
 * The server dies with SIGKILL while tills push, several times. What it acknowledged is there afterwards, a batch is
 * there whole or not at all, and the sales agree with the orders.
 */

const rounds = 4
const pushers = 3
const batchSize = 40
const acknowledgementsBeforeKill = 12

interface Client {
  client_id: string
  client_secret: string
}

async function serve(cli: Cli, port: number) {
  const child = cli.start(['serve'], { PORT: String(port), TILLGATE_LOG_LEVEL: 'error' })
  await once(child.stdout, 'data')
  return child
}

async function token(base: string, client: Client): Promise<string> {
  const form = { grant_type: 'client_credentials', ...client }
  const { client_id, client_secret, grant_type } = form
  const response = await fetch(`${base}/auth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id, client_secret, grant_type }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Orders of one batch, known by their order_number, spread over two days. */
const batchOf = (name: string) =>
  Array.from({ length: batchSize }, (_, i) => ({
    kind: 'order',
    store_id: 1,
    id: `${name}-${i}`,
    order_number: name,
    status: i % 5 === 0 ? 3 : 2,
    created_at: `2026-11-0${1 + (i % 2)} ${String(i % 24).padStart(2, '0')}:00:00`,
    carts: [
      { type: 2, menu_id: 1, count: 1 },
      { type: 2, menu_id: 2 + (i % 3), count: 0.25 },
    ],
  }))

test('SIGKILL under load: nothing acknowledged is lost, nothing is half written, sales equal orders', async () => {
  const cli = createCli()
  try {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const tills = await cli.json<Client>(['app', 'create', '--name', 'Tills', '--scope', 'platform.write'])
    const reader = await cli.json<Client>(['app', 'create', '--name', 'Reader'])
    await cli.run(['import', '-'], { stdin: '{"kind":"store","id":1,"name":"S","timezone":"UTC"}' })
    await cli.run(['app', 'authorize', reader.client_id, '--store', '1'])
    const acknowledged = new Set<string>()

    for (let round = 0; round < rounds; round++) {
      const server = await serve(cli, port)
      const bearer = await token(base, tills)
      let stop = false
      const push = async (name: string) => {
        const response = await fetch(`${base}/platform/v1/records`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-ndjson' },
          body: batchOf(name)
            .map(record => JSON.stringify(record))
            .join('\n'),
        })
        assert.equal(response.status, 200)
        acknowledged.add(name)
      }
      const died = once(server, 'exit')
      const before = acknowledged.size
      const till = async (number: number) => {
        for (let n = 0; !stop; n++) {
          try {
            await push(`${round}.${number}.${n}`)
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error
            return
          }
          if (acknowledged.size - before >= acknowledgementsBeforeKill) {
            stop = true
            server.kill('SIGKILL')
          }
        }
      }
      await Promise.all(Array.from({ length: pushers }, (_, number) => till(number)))
      await died
    }

    const database = new DatabaseSync(cli.database)
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    database.close()

    const server = await serve(cli, port)
    const bearer = await token(base, reader)
    const read = async (path: string, query: Record<string, string>) => {
      const window = { store_id: '1', start_date: '2026-11-01 00:00:00', end_date: '2026-11-02 23:59:59' }
      const url = `${base}/integration/v1/${path}?${new URLSearchParams({ ...window, ...query })}`
      const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })
      return ((await response.json()) as { data: any[] }).data
    }
    const orders: any[] = []
    for (let index = 0, page: any[]; ; index++) {
      page = await read('orders', { index: String(index), count: '2000' })
      orders.push(...page)
      if (page.length < 2000) break
    }
    const byBatch = Map.groupBy(orders, order => order.order_number as string)
    for (const name of acknowledged) assert.ok(byBatch.has(name), `the acknowledged batch ${name} is lost`)
    for (const [name, found] of byBatch)
      assert.equal(found.length, batchSize, `batch ${name} is half written`)

    const sold = new Map<number, number>()
    for (const { status, carts } of orders) {
      if (status !== 2 && status !== 11) continue
      for (const { menu_id, count } of carts) sold.set(menu_id, (sold.get(menu_id) ?? 0) + count)
    }
    const expected = [...sold]
      .sort(([a], [b]) => a - b)
      .map(([item_id, n]) => ({ item_id, count: Math.round(n) }))
    assert.deepEqual(await read('inventory/sales', {}), expected)
    server.kill()
    await once(server, 'exit')
  } finally {
    cli.remove()
  }
})
