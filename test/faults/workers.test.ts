import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCli } from '../helpers/cli.ts'
import { startNode } from '../helpers/nodes.ts'

const cli = await createCli()
after(cli.remove)

/** A client that has waited so long was forgotten. */
const forgotten = 10_000

test('a worker is killed under load: its clients get an error at once, and no request hangs', {
  timeout: 300_000,
  skip: process.platform !== 'linux' && 'elsewhere Node hands connections on, and loses some',
}, async t => {
  const node = await startNode(cli, { TILLGATE_WORKERS: '2' })
  t.after(() => node.process.kill('SIGKILL'))
  const started = node.log().filter(line => String(line['msg']).startsWith('Server listening'))
  const [victim] = started.map(line => line['pid'] as number)
  assert.ok(victim !== undefined && victim !== node.process.pid)
  const stop = new AbortController()
  const seen = { answered: 0, told: 0, forgotten: 0, longest: 0 }
  const keepAsking = async () => {
    while (!stop.signal.aborted) {
      const began = performance.now()
      try {
        // Each over a connection of its own, so that some are just being handed over when it dies.
        const response = await fetch(`${node.base}/health/live`, {
          headers: { connection: 'close' },
          signal: AbortSignal.timeout(forgotten),
        })
        await response.arrayBuffer()
        seen.answered++
      } catch (error) {
        if ((error as Error).name === 'TimeoutError') seen.forgotten++
        else seen.told++
      }
      seen.longest = Math.max(seen.longest, performance.now() - began)
    }
  }
  const clients = Promise.all(Array.from({ length: 30 }, keepAsking))
  const until = async (answers: number) => {
    const enough = seen.answered + answers
    while (seen.answered < enough) await new Promise(resolve => setTimeout(resolve, 5))
  }
  await until(200)
  process.kill(victim, 'SIGKILL')
  await node.logged(
    line =>
      String(line['msg']).startsWith('Server listening') && !started.some(({ pid }) => pid === line['pid']),
  )
  await until(200)
  stop.abort()
  await clients
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.forgotten, 0)
  assert.ok(seen.told <= 30, 'one for each client at most')
  assert.deepEqual(await node.stop(), [0, null])
})
