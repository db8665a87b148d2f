import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { parseExact, verifyWebhook } from '../../client/src/index.ts'
import { byTest } from '../helpers/by.ts'
import { runClient } from '../helpers/client-command.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startWorld, type World } from '../helpers/world.ts'

/** `tillgate-client listen`: an app on this machine receives signed webhooks. */

const big = 9007199254740993n
const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
let world: World
const received = new EventEmitter()
let answers: number[] = []
const app = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  response.writeHead(answers.shift() ?? 204).end()
  received.emit('webhook', { body, headers: request.headers, path: request.url })
})
before(async () => {
  world = await startWorld([1001, big])
  await world.push(sampleOrder())
  await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  app.closeAllConnections()
  app.close()
  await world.close()
})

interface Received {
  body: string
  headers: IncomingHttpHeaders
  path: string
}

test('each change is posted once, signed; a failed delivery is repeated with the same id', async () => {
  const controller = new AbortController()
  const address = `127.0.0.1:${(app.address() as AddressInfo).port}/hooks`
  const args = ['listen', '--url', world.server.base, '--forward-to', address, '--secret', secret, '--json']
  const arrivals = on(received, 'webhook', { signal: controller.signal })
  const next = async () => {
    const { body, headers, path } = ((await arrivals.next()).value as [Received])[0]
    assert.equal(path, '/hooks')
    return verifyWebhook({ secret, body, headers })
  }
  const running = runClient(args, world.reader, controller)
  const isWaiting = async () =>
    /tillgate_waiting_requests 1\n/.test((await world.server.get('/metrics')).text)
  const untilWaiting = async () => {
    while (!(await isWaiting())) await new Promise(setImmediate)
  }
  await untilWaiting()

  await world.push(sampleOrder({ id: 'new' }))
  const first = await next()
  const [page] = [(await world.read('/integration/v1/changes', { store_id: 1001 })).json.data]
  assert.equal(first.type, 'store.changed')
  assert.deepEqual(first.data, { store_id: 1001, seq: page.next, feed: page.feed })

  await untilWaiting()
  answers = [500]
  await world.push(JSON.stringify(sampleOrder({ store_id: 0 })).replace('"store_id":0', `"store_id":${big}`))
  const [refused, repeated] = [await next(), await next()]
  assert.equal((refused.data as any).store_id, big)
  assert.equal(refused.id, repeated.id)

  // A store that is granted now begins at its current seq.
  await untilWaiting()
  await world.push(sampleStore({ id: 1002 }), sampleOrder({ id: 'before', store_id: 1002 }))
  await world.server.apps.authorize(world.reader.client_id, [1002n], byTest)
  await world.push(sampleOrder({ id: 'again' }))
  assert.equal(((await next()).data as any).store_id, 1001)

  await untilWaiting()
  await world.server.storage.changes.renewHistory()
  await world.push(sampleOrder({ id: 'after the new feed', store_id: 1002 }))
  const due = new Map<string, string>()
  while (due.size < 3) {
    const { data } = (await next()) as any
    if (data.feed !== page.feed) due.set(String(data.store_id), data.feed)
  }
  assert.equal(new Set(due.values()).size, 1)

  controller.abort(new Error('stopped'))
  const { code, stdout } = await running
  const [ready, ...deliveries] = stdout
    .trim()
    .split('\n')
    .map(line => parseExact(line) as any)
  assert.deepEqual([code, ready], [0, { address: `http://${address}`, secret, stores: 2 }])
  assert.deepEqual(
    deliveries.slice(0, 3).map(({ store_id, result }) => [store_id, result]),
    [
      [1001, 204],
      [big, 500],
      [big, 204],
    ],
  )
})

test('an address or a secret that is none is refused', async () => {
  const args = ['listen', '--url', world.server.base, '--forward-to']
  for (const rest of [
    ['ftp://x y'],
    ['localhost:1', '--secret', 'plain'],
    ['localhost:1', '--secret', 'whsec_abcde'],
  ]) {
    const signal = AbortSignal.timeout(30_000)
    assert.equal((await runClient([...args, ...rest], world.reader, { signal })).code, 2)
  }
})
