import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { byTest } from '../helpers/by.ts'
import { keepSecret } from '../helpers/log-check.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { isSigned, type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startWorld, type World } from '../helpers/world.ts'

let world: World
let receiver: Receiver
let endpoints: ReturnType<typeof createWebhookEndpoints>
let endpoint: Awaited<ReturnType<typeof endpoints.create>>
let orders = 0

const allow = '127.0.0.0/8'
const push = (store_id = 1001) => world.push({ ...sampleOrder({ id: `H-${orders++}` }), store_id })
const newest = async (store_id: number): Promise<number> =>
  (await world.list('/integration/v1/changes/heads')).find(head => head.store_id === store_id).seq
const arrival = (store_id: number, seq: number) =>
  receiver.until(all =>
    all.find(({ type, data }) => type === 'store.changed' && data.store_id === store_id && data.seq >= seq),
  )
const found = async () => {
  const one = await world.server.storage.webhooks.find(endpoint.id)
  assert.ok(one)
  return one
}
/** Resolves when the stored endpoint is as the test wants it. */
async function becomes(is: (now: Awaited<ReturnType<typeof found>>) => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !is(await found()); ) {
    assert.ok(Date.now() < end, JSON.stringify(await found()))
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** The log of the endpoint, as soon as it has so many attempts. */
async function recorded(count: number) {
  for (const end = Date.now() + 60_000; ; await sleep(20)) {
    const all = await world.server.storage.webhooks.deliveries(endpoint.id, 100)
    if (all.length >= count) return all
    assert.ok(Date.now() < end, `${all.length} of ${count} are recorded`)
  }
}

const create = async (url = receiver.url, events: string[] = []) => {
  const made = await endpoints.create({ app_id: world.reader.client_id, url, events }, byTest)
  keepSecret('webhook secret', made.secret.slice('whsec_'.length))
  return made
}

suite('webhooks', () => {
  before(async () => {
    world = await startWorld([1001, 1002], { config: { webhook_allow: allow } })
    const { storage, clock } = world.server
    endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules(allow) })
    await push(1001)
    await push(1002)
  })
  after(() => world.close())
  beforeEach(async () => {
    receiver = await startReceiver()
    endpoint = await create()
  })
  afterEach(async () => {
    await endpoints.remove(endpoint.id, byTest)
    await receiver.close()
  })

  test('a stored order arrives within a second, signed, with the newest seq and a feed that works', async () => {
    // The fastest of a few: a busy machine can delay any of them.
    let fastest = Number.POSITIVE_INFINITY
    for (let i = 0; i < 10 && fastest >= 1000; i++) {
      await push()
      const began = Date.now()
      fastest = Math.min(fastest, (await arrival(1001, await newest(1001))).at - began)
    }
    assert.ok(fastest < 1000, `${fastest} ms`)
    const seq = await newest(1001)
    const webhook = await arrival(1001, seq)
    assert.ok(isSigned(webhook, endpoint.secret))
    assert.deepEqual(Object.keys(JSON.parse(webhook.body)), ['type', 'timestamp', 'data'])
    assert.deepEqual(Object.keys(webhook.data), ['store_id', 'seq', 'feed'])
    assert.equal(webhook.headers['content-type'], 'application/json')
    const { feed } = webhook.data
    const { status } = await world.read('/integration/v1/changes', { store_id: 1001, after: seq, feed })
    assert.equal(status, 200)
    assert.deepEqual(
      receiver.received.filter(({ data }) => data.store_id === 1002),
      [],
      'a new endpoint starts at the current seq',
    )
  })

  test('many orders make few deliveries: at most one a second and one under way for each store', async () => {
    let open = 0
    let most = 0
    receiver.answer((_request, response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        response.writeHead(200).end()
      }, 300)
    })
    let pushed = 0
    for (; receiver.received.length < 3; pushed++) await push()
    assert.ok(pushed > 10, `${pushed} orders`)
    await arrival(1001, await newest(1001))
    // By the server's own times: how fast a request arrives is the machine's business.
    const attempts = await recorded(receiver.received.length)
    const times = attempts.map(({ attempted_at_ms }) => Number(attempted_at_ms)).sort((x, y) => x - y)
    for (const [i, at] of times.entries())
      assert.ok(i === 0 || at - (times[i - 1] ?? 0) >= 1000, String(times))
    assert.equal(most, 1)
    const ids = receiver.received.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
  })

  test('a failure pauses the endpoint; the retry has the newest seq, and one success makes everything due', async () => {
    receiver.answerStatus(500)
    await push()
    await receiver.until(all => all.length > 0)
    await becomes(({ failures }) => failures === 1)
    const { retry_at_ms, failing_since } = await found()
    assert.ok(failing_since !== null)
    const pause = retry_at_ms - (world.server.clock.ms?.() ?? 0)
    assert.ok(pause > 3000 && pause <= 5000, `${pause} ms`)
    await push()
    await push(1002)
    receiver.answerStatus(200)
    world.server.clock.advance(6)
    await arrival(1001, await newest(1001))
    await arrival(1002, await newest(1002))
    await becomes(({ failures }) => failures === 0)
  })

  test('the same seq keeps its webhook-id, and Retry-After is honoured', async () => {
    receiver.answerStatus(503, { 'retry-after': '100' })
    await push()
    await receiver.until(all => all.length > 0)
    await becomes(({ failures }) => failures === 1)
    const pause = (await found()).retry_at_ms - (world.server.clock.ms?.() ?? 0)
    assert.ok(pause > 90_000 && pause <= 100_000, `${pause} ms`)
    receiver.answerStatus(200)
    world.server.clock.advance(101)
    await receiver.until(all => all.length === 2)
    const [first, second] = receiver.received
    assert.deepEqual([second?.id, second?.body], [first?.id, first?.body])
    assert.ok(second && isSigned(second, endpoint.secret))
  })

  test('410 disables the endpoint at once, five days of failures too; enabled again, it receives the newest seq', async () => {
    receiver.answerStatus(410)
    await push()
    await becomes(({ reason }) => reason === 'gone')
    await endpoints.setDisabled(endpoint.id, false, byTest)
    receiver.answerStatus(500)
    await world.server.storage.webhooks.report({
      endpoint_id: endpoint.id,
      failures: 0,
      failed: { retry_at_ms: 0, at: world.server.clock.now() - 5 * 86_400, disable: null },
    })
    await becomes(({ reason }) => reason === 'failing')
    receiver.answerStatus(200)
    await endpoints.setDisabled(endpoint.id, false, byTest)
    await arrival(1001, await newest(1001))
  })

  test('a new feed makes every store due', async () => {
    await world.server.storage.changes.renewHistory()
    await arrival(1001, await newest(1001))
    await arrival(1002, await newest(1002))
  })

  test('revoked access gives the revoked event and then nothing more of that store', async () => {
    await world.server.apps.revoke(world.reader.client_id, [1002n], byTest)
    const changed = await receiver.until(all => all.find(({ type }) => type === 'authorization.changed'))
    assert.deepEqual(changed.data.store_ids, [1001])
    await push(1002)
    await push(1001)
    await arrival(1001, await newest(1001))
    await world.server.apps.revoke(world.reader.client_id, null, byTest)
    const revoked = await receiver.until(all => all.find(({ type }) => type === 'authorization.revoked'))
    assert.deepEqual(revoked.data.store_ids, [1001])
    assert.equal(revoked.data.authorization_id, changed.data.authorization_id)
    assert.equal(revoked.data.revision, changed.data.revision + 1)
    await push(1001)
    await world.server.apps.authorize(world.reader.client_id, [1001n, 1002n], byTest)
    const granted = await receiver.until(all => all.find(({ type }) => type === 'authorization.granted'))
    assert.deepEqual([granted.data.revision, granted.data.store_ids], [1, [1001, 1002]])
    assert.deepEqual(
      receiver.received.filter(({ data }) => data.store_id === 1002),
      [],
    )
    await push(1002)
    await arrival(1002, await newest(1002))
  })

  test('a store that leaves its merchant is an event', async () => {
    const account = await world.server.newAccount('ada@example.com')
    await world.push(sampleStore({ id: 1003, merchant: 'ada@example.com' }))
    const { client_id } = world.reader
    const grant = {
      id: 'grant',
      app_id: client_id,
      account_id: account.id,
      scope: 'integration.store integration.order integration.inventory',
    }
    await world.server.storage.authorizations.save(grant, [1003n], 'replace', world.server.clock.now())
    await receiver.until(all => all.find(({ type }) => type === 'authorization.granted'))
    await world.push(sampleStore({ id: 1003, merchant: null }))
    const { data } = await receiver.until(all => all.find(({ type }) => type === 'authorization.changed'))
    assert.deepEqual(data, { authorization_id: 'grant', revision: 2, store_ids: [] })
  })

  test('an event that fails is retried with the same webhook-id; a test event is sent also in backoff', async () => {
    receiver.answerStatus(500)
    await endpoints.test(endpoint.id)
    await becomes(({ failures }) => failures === 1)
    receiver.answerStatus(200)
    const again = await endpoints.test(endpoint.id)
    await receiver.until(all => all.find(({ id }) => id === again))
    const [first] = receiver.received
    await receiver.until(all => all.filter(({ id }) => id === first?.id).length === 2)
    assert.deepEqual([first?.type, first?.data], ['webhook.test', {}])
    const log = await endpoints.deliveries(endpoint.id)
    assert.ok(log.find(({ id }) => id === first?.id))
    await endpoints.resend(again)
    await receiver.until(all => all.filter(({ id }) => id === again).length === 2)
  })

  test('during a rotation both secrets sign', async () => {
    const secret = await endpoints.rotateSecret(endpoint.id, byTest)
    keepSecret('webhook secret', secret.slice('whsec_'.length))
    // The loop reads the endpoints again every second.
    await endpoints.test(endpoint.id)
    const webhook = await receiver.until(all => all.at(-1))
    assert.ok(isSigned(webhook, endpoint.secret))
    assert.ok(isSigned(webhook, secret))
  })

  test('a paused app is not called, and afterwards the newest seq is sent', async () => {
    const { client_id } = world.reader
    await endpoints.setPaused(client_id, true, byTest)
    await push()
    await push(1002)
    // Longer than the loop's interval.
    await sleep(1200)
    assert.deepEqual(receiver.received, [])
    await endpoints.setPaused(client_id, false, byTest)
    await arrival(1001, await newest(1001))
    await arrival(1002, await newest(1002))
    assert.equal(receiver.received.length, 2)
  })

  test('an endpoint with chosen events gets no others', async () => {
    const second = await startReceiver()
    try {
      const other = await create(second.url, ['authorization.granted'])
      await push()
      await arrival(1001, await newest(1001))
      await endpoints.test(other.id)
      await second.until(all => all.find(({ type }) => type === 'webhook.test'))
      assert.deepEqual(
        second.received.map(({ type }) => type),
        ['webhook.test'],
      )
      await endpoints.remove(other.id, byTest)
    } finally {
      await second.close()
    }
  })
})
