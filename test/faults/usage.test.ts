import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCli } from '../helpers/cli.ts'
import { startNode } from '../helpers/nodes.ts'
import { clientCredentials } from '../helpers/token.ts'
import { openStorage } from '../helpers/storage.ts'

/** The usage figures of real processes: several add to the same counters, and one that is stopped by a signal loses none. */

const cli = await createCli()
after(cli.remove)

test('two processes that are stopped by SIGTERM have counted every request', {
  timeout: 300_000,
}, async t => {
  const { database } = cli
  const env = { TILLGATE_WORKERS: '2' }
  const { client_id, client_secret } = await cli.json<{ client_id: string; client_secret: string }>(
    ['app', 'create', '--name', 'Ledger'],
    { env },
  )
  const node = await startNode(cli, env)
  t.after(() => node.process.kill('SIGKILL'))
  const form = clientCredentials({ client_id, client_secret })
  const token = (await node.post('/auth/v2/token', form)).json.access_token as string
  const ids: string[] = []
  async function ask(i: number): Promise<void> {
    const path = i % 3 === 0 ? '/integration/v1/orders?store_id=1' : '/integration/v1/stores'
    // A connection for each, so that all the processes have a part in it.
    const response = await fetch(node.base + path, {
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
    })
    assert.equal(response.status, i % 3 === 0 ? 422 : 200, await response.text())
    ids.push(response.headers.get('x-request-id') ?? '')
  }
  for (let i = 0; i < 300; i += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => ask(i + n)))
  assert.deepEqual(await node.stop(), [0, null])
  const pids = node.log().flatMap(line => (line['msg'] === 'request' ? [line['pid']] : []))
  assert.equal(new Set(pids).size, 2)

  const storage = await openStorage(database)
  t.after(() => storage.close())
  const now = Math.floor(Date.now() / 1000)
  for (const width of [3600, 86_400]) {
    const span = { width, from: now - 2 * 86_400, to: now }
    const rows = await storage.usage.requests({ ...span, app_id: client_id, by: 'endpoint' })
    assert.deepEqual(
      rows.map(({ key, requests, client_errors }) => [key, requests, client_errors]),
      [
        ['GET /integration/v1/orders', 100, 100],
        ['GET /integration/v1/stores', 200, 0],
        ['POST /auth/v2/token', 1, 0],
      ],
    )
  }
  for (const id of ids) assert.equal((await storage.usage.logged(client_id, id))?.request_id, id)
})
