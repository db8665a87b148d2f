import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCli } from '../helpers/cli.ts'
import { startNode } from '../helpers/nodes.ts'
import { startPair } from '../helpers/replicated.ts'
import { type Client, pushBatch, tokenOf } from '../helpers/tills.ts'

test('TILLGATE_READ_DATABASE: lists come from the standby; without it the service is as ready as before, and says so', {
  timeout: 300_000,
}, async t => {
  const cli = await createCli()
  t.after(cli.remove)
  const pair = await startPair()
  t.after(pair.remove)
  const { url, read_database } = await pair.database()
  const env = { TILLGATE_DATABASE: url, TILLGATE_READ_DATABASE: read_database, TILLGATE_READ_STALENESS: '60' }
  const tills = await cli.json<Client>(['app', 'create', '--name', 'Tills', '--scope', 'platform.write'], {
    env,
  })
  const reader = await cli.json<Client>(['app', 'create', '--name', 'Reader'], { env })
  await cli.run(['import', '-'], { env, stdin: '{"kind":"store","id":1,"name":"S","timezone":"UTC"}' })
  await cli.run(['app', 'authorize', reader.client_id, '--store', '1'], { env })

  const node = await startNode(cli, env)
  t.after(() => node.process.kill('SIGKILL'))
  const [till, bearer] = [await tokenOf(node.base, tills), await tokenOf(node.base, reader)]
  const window = 'start_date=2026-11-01+00:00:00&end_date=2026-11-02+23:59:59'
  const list = async (path: string) => {
    const { status, json } = await node.get(`/integration/v1/${path}&store_id=1`, bearer)
    assert.equal(status, 200)
    return json.data.length as number
  }
  /** Half of each batch. */
  const orders = () => list(`orders?${window}&count=1000`)
  await pushBatch(node.base, till, 'first')
  await orders()
  const { level } = await node.logged(({ msg }) => msg === 'list pages come from the read replica')
  assert.equal(level, 30)

  await pair.pause()
  await pushBatch(node.base, till, 'second')
  assert.deepEqual(
    [await orders(), await list(`inventory/sales?${window}`)],
    [20, 4],
    'as the standby has it',
  )
  await pair.standby.stop('quit')
  assert.equal(await orders(), 40)
  assert.equal((await node.get('/health/ready')).status, 200)
  const warning = await node.logged(({ msg }) =>
    String(msg).startsWith('the read replica is not used for now'),
  )
  assert.equal(warning['level'], 40)
  await pair.standby.start()
  assert.deepEqual(await node.stop(), [0, null])
})
