import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { signedHeaders } from '../../src/domain/webhooks/signature.ts'
import type { WebhookEndpoint } from '../../src/storage/port/index.ts'
import { byTest } from '../helpers/by.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { isSigned, type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startWorld, type World } from '../helpers/world.ts'
import { endpoint as stored } from '../storage/suite/webhooks/fixtures.ts'

/** How long things last, what is measured, and what is not logged. */

const allow = '127.0.0.1'
const day = 86_400
const query = 'key=hidden-in-the-query'
const answer = 'hidden-in-the-answer'

let world: World
let receiver: Receiver
let endpoints: ReturnType<typeof createWebhookEndpoints>
let endpoint: WebhookEndpoint
let orders = 0

const push = () => world.push({ ...sampleOrder({ id: `L-${orders++}` }), store_id: 1001 })
const signatures = (headers: Record<string, unknown>) => String(headers['webhook-signature']).split(' ')
/** Sends a test event and returns it as it arrived. */
async function sendTest() {
  const id = await endpoints.test(endpoint.id)
  return receiver.until(all => all.find(webhook => webhook.id === id))
}
/** Resolves when the delivery is as the test wants it. */
async function delivery(id: string, is: (attempts: number, state: string) => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; ; await new Promise(resolve => setTimeout(resolve, 20))) {
    const found = await world.server.storage.webhooks.delivery(id)
    if (found && is(found.attempts, found.state)) return
    assert.ok(Date.now() < end, JSON.stringify(found?.state))
  }
}
/** The value of one sample; 0 when it is missing. */
async function sample(name: string): Promise<number> {
  const { text } = await world.server.get('/metrics')
  const line = text.split('\n').find(line => line.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const until = async (is: () => Promise<boolean>) => {
  for (const end = Date.now() + 60_000; !(await is()); ) assert.ok(Date.now() < end)
}

suite('webhooks over time', () => {
  before(async () => {
    world = await startWorld([1001], { config: { webhook_allow: allow, log_level: 'trace' } })
    const { storage, clock } = world.server
    endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules(allow) })
    await push()
  })
  after(() => world.close())
  beforeEach(async () => {
    receiver = await startReceiver()
    const url = `${receiver.url}?${query}`
    endpoint = await endpoints.create({ app_id: world.reader.client_id, url, events: [] }, byTest)
  })
  afterEach(async () => {
    await endpoints.remove(endpoint.id, byTest)
    await receiver.close()
  })

  test('after a rotation both secrets sign for 24 hours, and then the new one alone', async () => {
    const now = world.server.clock.now()
    const secret = await endpoints.rotateSecret(endpoint.id, byTest)
    assert.equal((await endpoints.find(endpoint.id)).previous_until, now + day)
    world.server.clock.advance(day - 300)
    const during = await sendTest()
    assert.deepEqual([isSigned(during, endpoint.secret), isSigned(during, secret)], [true, true])
    world.server.clock.advance(300)
    const afterwards = await sendTest()
    assert.deepEqual([isSigned(afterwards, endpoint.secret), isSigned(afterwards, secret)], [false, true])
    assert.equal(signatures(afterwards.headers).length, 1)
    const rotated = stored('we_1', { previous_secret: 'whsec_b2xk', previous_until: 100 })
    assert.equal(signatures(signedHeaders(rotated, 'msg_1', '{}', 99_999)).length, 2)
    assert.equal(signatures(signedHeaders(rotated, 'msg_1', '{}', 100_000)).length, 1)
  })

  test('an event is retried for 3 days, and then given up; later ones are sent', async () => {
    receiver.answerStatus(500)
    const { id } = await sendTest()
    await delivery(id, attempts => attempts === 1)
    world.server.clock.advance(3 * day - 600)
    await delivery(id, attempts => attempts === 2)
    await delivery(id, (_attempts, state) => state === 'pending')
    world.server.clock.advance(600)
    await delivery(id, (attempts, state) => attempts === 3 && state === 'failed')
    receiver.answerStatus(200)
    world.server.clock.advance(day)
    const next = await sendTest()
    await delivery(next.id, (_attempts, state) => state === 'delivered')
    assert.equal(receiver.received.filter(webhook => webhook.id === id).length, 3)
  })

  test('metrics: attempts by type and result, the delay from the commit, the age of the oldest event', async () => {
    const count = (type: string, result: string) =>
      sample(`tillgate_webhook_deliveries_total{type="${type}",result="${result}"}`)
    const delays = () => sample('tillgate_webhook_delay_seconds_count')
    // The loop of the server then knows the endpoint.
    await delivery((await sendTest()).id, (_attempts, state) => state === 'delivered')
    const before = [await count('store.changed', 'delivered'), await count('webhook.test', 'failed')] as const
    const [delayed, sum] = [await delays(), await sample('tillgate_webhook_delay_seconds_sum')]
    await push()
    await until(async () => (await count('store.changed', 'delivered')) === before[0] + 1)
    assert.equal(await delays(), delayed + 1)
    const delay = (await sample('tillgate_webhook_delay_seconds_sum')) - sum
    assert.ok(delay > 0 && delay < 1, String(delay))

    // An event whose attempt hangs.
    receiver.answer(() => {})
    const { id } = await sendTest()
    world.server.clock.advance(12)
    const age = await sample('tillgate_webhook_oldest_pending_seconds')
    assert.ok(age >= 12 && age < 20, String(age))
    receiver.answerStatus(500)
    // The lease has ended: it is sent again, fails, and does not count any more.
    world.server.clock.advance(12)
    await delivery(id, attempts => attempts > 0)
    assert.equal(await count('webhook.test', 'failed'), before[1] + 1)
    world.server.clock.advance(12)
    await until(async () => (await sample('tillgate_webhook_oldest_pending_seconds')) === 0)
  })

  test('no log line has the query of an endpoint, its secret or what it answered', async () => {
    const { log } = world.server
    const lines = log.length
    for (const status of [200, 500, 307, 410]) {
      receiver.answer((_request, response) => {
        response.writeHead(status, { location: `/?${query}`, 'x-answer': answer }).end(answer)
      })
      const { id } = await sendTest()
      await delivery(id, attempts => attempts > 0)
    }
    await until(async () => log.some(line => line.includes('a webhook endpoint was disabled')))
    assert.ok(log.slice(lines).some(line => line.includes(endpoint.id)))
    const text = log.join('')
    for (const hidden of [query, answer, endpoint.secret, endpoint.secret.slice('whsec_'.length)])
      assert.ok(!text.includes(hidden), hidden)
  })
})
