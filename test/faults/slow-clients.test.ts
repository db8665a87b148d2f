import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { halfOpen } from '../../torture/half-open.ts'
import { readNothing } from '../../torture/slow-readers.ts'
import { emptyDatabase, onPostgres } from '../helpers/engine.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { startWorld, type World, withQuery } from '../helpers/world.ts'

/** The server closes connections that send or read too slowly within 10 s; other clients are not affected. */

const limit = 10
const name = 'n'.repeat(200)
const item = { kind: 'item', store_id: 1001, status: 2, name, price: 1, updated_at: '2026-11-01 10:00:00' }
let world: World
let token: string
let database: string

before(async () => {
  database = await emptyDatabase({ shared: true })
  world = await startWorld([1001], { database })
  const carts = Array.from({ length: 60 }, () => ({ type: 2, name, count: 1 }))
  const order = { kind: 'order', store_id: 1001, status: 2, created_at: '2026-11-01 10:00:00', carts }
  await world.push(...Array.from({ length: 400 }, (_, id) => ({ ...order, id: String(id) })))
  await world.push(...Array.from({ length: 20_000 }, (_, id) => ({ ...item, id: id + 1 })))
  token = await world.token()
})

after(() => world.close())

const ordersPage = withQuery('/integration/v1/orders', {
  store_id: 1001,
  start_date: '2026-11-01 00:00:00',
  end_date: '2026-11-01 23:59:59',
  count: 2000,
})
const itemsPage = withQuery('/integration/v1/inventory/items', { store_id: 1001, count: 100_000 })

// All at the same time, as in an attack.
describe('slow clients', { concurrency: true }, () => {
  test('500 requests that never become complete are closed within 10 s', async t => {
    const seconds = await halfOpen(world.server.base, 500)
    for (const [kind, worst] of Object.entries(seconds)) {
      assert.ok(worst > 1 && worst < limit, `${kind}: ${worst} s`)
      t.diagnostic(`${kind}: ${worst.toFixed(1)} s`)
    }
  })

  for (const [name, page] of [
    ['orders', ordersPage],
    ['items', itemsPage],
  ] as const) {
    test(`10 connections that read nothing of a large page of ${name} are closed within 10 s`, async () => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => readNothing(world.server.base, page, token)),
      )
      for (const seconds of all) assert.ok(seconds > 1 && seconds < limit, `${seconds} s`)
    })
  }

  test('meanwhile other clients are served, and no database snapshot is held', async () => {
    await sleep(2000)
    const began = performance.now()
    const answer = await world.read('/integration/v1/stores')
    assert.equal(answer.status, 200)
    assert.ok(performance.now() - began < 5000)
    await world.push({ ...item, id: 1, name: 'new', updated_at: '2026-11-01 11:00:00' })
    if (onPostgres) {
      const [held] = await administer(
        database,
        `select count(*)::int as sessions from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend'
           and pid <> pg_backend_pid() and backend_xmin is not null`,
      )
      assert.deepEqual(held, { sessions: 0 })
    } else {
      // A checkpoint can truncate the log only when no reader uses an older state.
      const own = new DatabaseSync(database, { timeout: 1000 })
      assert.deepEqual(
        { ...own.prepare('pragma wal_checkpoint(truncate)').get() },
        { busy: 0, log: 0, checkpointed: 0 },
      )
      own.close()
    }
  })

  test('a slow reader above the minimum rate gets its whole page', async () => {
    const { port, hostname } = new URL(world.server.base)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET ${ordersPage} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    let received = 0
    let end = ''
    socket.on('data', chunk => {
      received += chunk.length
      end = (end + chunk.toString('latin1')).slice(-20)
      socket.pause()
      setTimeout(() => socket.resume(), 40)
    })
    await once(socket, 'close')
    assert.ok(received > 5_000_000)
    assert.match(end, /\]\}(\r\n0\r\n\r\n)?$/)
  })
})

test('connections beyond TILLGATE_MAX_CONNECTIONS are closed at once; new ones are accepted when others end', async () => {
  const small = await startWorld([1001], { config: { max_connections: 3 } })
  try {
    small.server.app.server.closeIdleConnections()
    const { port, hostname } = new URL(small.server.base)
    const opened = Array.from({ length: 3 }, () => connect(Number(port), hostname))
    await Promise.all(opened.map(socket => once(socket, 'connect')))
    const fourth = connect(Number(port), hostname).resume()
    await once(fourth, 'close')
    opened[0]?.destroy()
    // The server needs a moment to notice the closed connection.
    let answer = null
    for (let i = 0; i < 100 && answer === null; i++) {
      answer = await small.read('/integration/v1/stores').catch(() => sleep(20, null))
    }
    assert.equal(answer?.status, 200)
    for (const socket of opened) socket.destroy()
  } finally {
    await small.close()
  }
})
