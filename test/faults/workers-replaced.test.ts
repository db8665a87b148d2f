import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCli } from '../helpers/cli.ts'
import { postgresAlone } from '../helpers/engine.ts'
import { type Node, startNode } from '../helpers/nodes.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { startPostgres } from '../helpers/postgres.ts'

/** TILLGATE_WORKERS: several processes on one port of one machine. */

const cli = await createCli()
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

const listens = (line: Record<string, unknown>) => String(line['msg']).startsWith('Server listening')

/** Kills a worker, and answers which one has taken its place. */
async function replaced(node: Node, worker: number): Promise<number> {
  const known = node
    .log()
    .filter(listens)
    .map(({ pid }) => pid)
  process.kill(worker, 'SIGKILL')
  const told = await node.logged(line => line['worker'] === worker)
  assert.deepEqual([told['level'], told['signal']], [40, 'SIGKILL'])
  const { pid } = await node.logged(line => listens(line) && !known.includes(line['pid']))
  return pid as number
}

test('TILLGATE_WORKERS=2: all answer, one that is killed is replaced, at once and again, and all stop cleanly', {
  timeout: 300_000,
}, async t => {
  const node = await startNode(cli, { TILLGATE_WORKERS: '2' })
  t.after(() => node.process.kill('SIGKILL'))
  const workers = await answering(node, 2)
  assert.ok(!workers.includes(node.process.pid as number), 'the first process only watches')
  const [killed, ...others] = workers as [number, ...number[]]
  const second = await replaced(node, killed)
  const third = await replaced(node, second)
  const now = await answering(node, 2)
  assert.deepEqual(now.sort(), [...others, third].sort())
  assert.deepEqual(await node.stop(), [0, null])
  for (const pid of now) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `${pid} is still there`)
})

test('a worker that cannot be replaced while the database lets nobody in: the others serve, then it is', {
  timeout: 300_000,
  skip: postgresAlone,
}, async t => {
  const node = await startNode(cli, { TILLGATE_WORKERS: '2' })
  t.after(() => node.process.kill('SIGKILL'))
  const [killed, other] = (await answering(node, 2)) as [number, number]
  const letIn = async (allowed: boolean) =>
    administer(
      await startPostgres(),
      `alter database ${new URL(cli.database).pathname.slice(1)} with allow_connections ${allowed}`,
    )
  await letIn(false)
  process.kill(killed, 'SIGKILL')
  const failed = await node.logged(line => 'worker' in line && line['worker'] !== killed)
  assert.equal(failed['code'], 1)
  assert.match(String(failed['reason']), /not currently accepting connections/)
  assert.deepEqual(await answering(node, 1), [other])
  await letIn(true)
  assert.equal((await answering(node, 2)).includes(killed), false)
  assert.deepEqual(await node.stop(), [0, null])
})
