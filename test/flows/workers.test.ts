import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCli } from '../helpers/cli.ts'
import { type Node, startNode } from '../helpers/nodes.ts'
import { freshDatabase } from '../helpers/postgres.ts'

/** TILLGATE_WORKERS: several processes on one port of one machine. */

const cli = createCli()
after(cli.remove)

/** Asks over connections of their own until so many processes have answered, and says which. */
async function answering(node: Node, count: number): Promise<number[]> {
  const pids = new Set<number>()
  while (pids.size < count) {
    const response = await fetch(`${node.base}/health/ready`, { headers: { connection: 'close' } })
    assert.equal(response.status, 200)
    const id = response.headers.get('x-request-id')
    const { pid } = await node.logged(line => line['msg'] === 'request' && line['request_id'] === id)
    pids.add(pid as number)
  }
  return [...pids]
}

for (const { engine, open } of [
  { engine: 'SQLite', open: async () => cli.database },
  { engine: 'PostgreSQL', open: () => freshDatabase() },
]) {
  test(`TILLGATE_WORKERS=3 on ${engine}: all answer, a killed one is replaced, and all stop cleanly`, {
    timeout: 60_000,
  }, async t => {
    const node = await startNode(cli, { TILLGATE_DATABASE: await open(), TILLGATE_WORKERS: '3' })
    t.after(() => node.process.kill('SIGKILL'))
    const workers = await answering(node, 3)
    assert.ok(!workers.includes(node.process.pid as number), 'the first process only watches')
    // A worker that ends in its first 2 seconds counts as one that cannot start.
    await sleep(2100)
    const [killed, ...others] = workers as [number, ...number[]]
    process.kill(killed, 'SIGKILL')
    // What Node's cluster handed to the dead one, before it knew, is never answered; so we ask when its place is taken.
    const { pid: added } = await node.logged(
      line => String(line['msg']).startsWith('Server listening') && !workers.includes(line['pid'] as number),
    )
    const now = await answering(node, 3)
    assert.deepEqual(now.sort(), [...others, added].sort())
    assert.deepEqual(await node.stop(), [0, null])
    for (const pid of now)
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `${pid} is still there`)
  })
}
