import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { shortTrial } from '../../torture/trial.ts'
import { webhooks } from '../../torture/webhooks/webhooks.ts'
import { createCli } from '../helpers/cli.ts'
import { engineName } from '../helpers/engine.ts'
import { type Node, startNode } from '../helpers/nodes.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { isSigned, type Receiver, startReceiver } from '../helpers/receiver.ts'

/** Two nodes on one database: what one was sending when it was killed, the other sends. */

const cli = await createCli()
// One issuer, so that both accept the same token.
const env = { TILLGATE_WEBHOOK_ALLOW: '127.0.0.1', TILLGATE_BASE_URL: 'http://127.0.0.1:3000' }
let receiver: Receiver
let nodes: Node[] = []
let secret: string
let endpoint_id: string
let token: string

before(async () => {
  receiver = await startReceiver()
  const records = [sampleStore(), sampleStore({ id: 1002 })].map(record => JSON.stringify(record)).join('\n')
  writeFileSync(join(cli.folder, 'stores.ndjson'), `${records}\n`)
  await cli.json(['import', 'stores.ndjson'])
  const app = await cli.json<{ client_id: string }>(['app', 'create', '--name', 'Ledger'])
  await cli.json(['app', 'authorize', app.client_id, '--store', '1001', '1002'])
  const platform = await cli.json<{ client_id: string; client_secret: string }>([
    'app',
    'create',
    '--name',
    'Till',
    '--scope',
    'platform.write',
  ])
  const create = ['webhook', 'create', app.client_id, '--url', receiver.url]
  ;({ id: endpoint_id, secret } = await cli.json<{ id: string; secret: string }>(create, { env }))
  for (let i = 0; i < 2; i++) nodes.push(await startNode(cli, env))
  const { client_id, client_secret } = platform
  const grant = { grant_type: 'client_credentials', client_id, client_secret }
  token = (await nodes[0]?.post('/auth/v2/token', grant))?.json.access_token
})
after(async () => {
  for (const node of nodes) await node.stop()
  await receiver.close()
  await cli.remove()
})

const push = async ({ base }: Node, store_id: number, id: string) => {
  const { status } = await fetch(`${base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: `${JSON.stringify({ ...sampleOrder({ id }), store_id })}\n`,
  })
  assert.equal(status, 200)
}

test('a node that is killed while it sends loses nothing: the other repeats it with the same webhook-id', async () => {
  const [first, second] = nodes as [Node, Node]
  // The receiver keeps the requests of the first node unanswered.
  receiver.answer(() => {})
  await push(first, 1001, 'K-1')
  const held = await receiver.until(all => all.find(({ data }) => data.store_id === 1001))
  first.process.kill('SIGKILL')
  await once(first.process, 'close')
  nodes = [second]
  receiver.answerStatus(200)
  const repeated = await receiver.until(all => all.filter(({ id }) => id === held.id)[1])
  assert.equal(repeated.body, held.body)
  assert.ok(isSigned(repeated, secret))
  await push(second, 1002, 'K-2')
  const arrived = await receiver.until(all => all.find(({ data }) => data.store_id === 1002))
  assert.equal(receiver.received.filter(({ id }) => id === arrived.id).length, 1)
})

test('SIGTERM lets the attempt under way finish and records it', async () => {
  const [node] = nodes as [Node]
  const answered = Promise.withResolvers<() => void>()
  receiver.answer((_request, response) => answered.resolve(() => response.writeHead(200).end()))
  await push(node, 1001, 'K-3')
  const answer = await answered.promise
  const sent = receiver.received.length
  node.process.kill('SIGTERM')
  // Its listener is closed before the attempt ends.
  while (await node.get('/health/live').catch(() => null)) await new Promise(setImmediate)
  const closed = once(node.process, 'close')
  // Longer than a process takes that waits for nothing.
  await Promise.race([closed, sleep(1000)])
  assert.equal(node.process.exitCode, null)
  answer()
  assert.deepEqual(await closed, [0, null])
  nodes = []
  const log = await cli.json<{ id: string; state: string }[]>(['webhook', 'deliveries', endpoint_id])
  const last = receiver.received.at(-1)
  assert.equal(log.find(({ id }) => id === last?.id)?.state, 'delivered')
  assert.equal(receiver.received.length, sent)
})

/** A second of what `npm run torture -- --only webhooks` does for minutes. */
test('webhooks: with dead endpoints among a hundred, the live ones receive the newest seq', {
  timeout: 300_000,
}, async t => {
  const { broken, tried, found } = await webhooks.run(shortTrial(engineName, 1, text => t.diagnostic(text)))
  t.diagnostic(tried)
  t.diagnostic(found)
  assert.deepEqual(broken, [])
})
