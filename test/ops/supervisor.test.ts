import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { test } from 'node:test'
import { superviseWorkers } from '../../src/server/workers.ts'

test('the supervisor ends with its last worker, also while another process holds the channel to that worker open', {
  timeout: 300_000,
}, async t => {
  const stop = new AbortController()
  const held = once(cluster, 'message')
  const supervised = superviseWorkers(
    1,
    { NODE_OPTIONS: `--import ${new URL('./processes/held-channel.ts', import.meta.url)}` },
    { ready() {}, stop: stop.signal, warn() {} },
  )
  const [worker, holder] = (await held) as [Worker, number]
  t.after(() => process.kill(holder))
  stop.abort('SIGTERM')
  await supervised
  assert.ok(worker.isDead() && worker.isConnected())
})
