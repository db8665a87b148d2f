import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { Counter, Gauge, Registry } from 'prom-client'
import { createHistogram } from '../../src/http/observe/histogram.ts'
import { aggregate } from '../../src/server/worker-metrics.ts'
import { createCli } from '../helpers/cli.ts'
import { startNode } from '../helpers/nodes.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** Metrics of the database, of connections and of several processes; test/ops/health covers those of requests. */

let server: TestServer

before(async () => {
  server = await startServer()
})

afterEach(() => mock.restoreAll())

after(() => server.close())

/** The value of one sample; 0 when it is missing. */
async function sample(name: string): Promise<number> {
  const { text } = await server.get('/metrics')
  const line = text.split('\n').find(line => line.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

const operation = (name: string, outcome = 'ok', part = 'count') =>
  `tillgate_database_operation_duration_seconds_${part}{operation="${name}",outcome="${outcome}"}`

describe('database timings', () => {
  test('each operation is counted and timed, by noun and verb', async () => {
    const client = await server.newApp()
    const before = [await sample(operation('clients.facts')), await sample(operation('stores.page'))]
    await server.get('/integration/v1/stores', await server.token(client))
    const after = [await sample(operation('clients.facts')), await sample(operation('stores.page'))]
    assert.ok((after[0] ?? 0) > (before[0] ?? 0))
    assert.equal(after[1], (before[1] ?? 0) + 1)
    assert.ok((await sample(operation('stores.page', 'ok', 'sum'))) > 0)
  })

  test('a failed operation is counted as failed, and still fails for its caller', async () => {
    mock.method(server.storage, 'ping', async () => {
      throw new Error('gone')
    })
    const before = await sample(operation('ping', 'failed'))
    assert.equal((await server.get('/health/ready')).status, 503)
    assert.equal(await sample(operation('ping', 'failed')), before + 1)
  })
})

test('open connections are counted', async () => {
  assert.ok((await sample('tillgate_http_connections')) >= 1)
})

const bounds = (text: string, name: string) => [
  ...new Set([...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"`, 'gm'))].map(([, le]) => le)),
]

test('the buckets are those that the dashboards were made for', async () => {
  await server.get('/health/ready')
  const { text } = await server.get('/metrics')
  assert.deepEqual(
    bounds(text, 'tillgate_http_request_duration_seconds'),
    '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 +Inf'.split(' '),
  )
  assert.deepEqual(
    bounds(text, 'tillgate_database_operation_duration_seconds'),
    '0.0001 0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 +Inf'.split(' '),
  )
})

test('a histogram counts cumulatively up to each bound, and leaves out unused labels', async () => {
  const registry = new Registry()
  const histogram = createHistogram(registry, 'h_seconds', 'help', [0.1, 1])
  const observe = histogram.labels({ a: 'x"y\\z\n' })
  for (const seconds of [0.05, 0.1, 0.5, 7]) observe(seconds)
  histogram.labels({ a: 'unused' })
  const labels = 'a="x\\"y\\\\z\\n"'
  assert.deepEqual((await registry.metrics()).split('\n'), [
    '# HELP h_seconds help',
    '# TYPE h_seconds histogram',
    `h_seconds_bucket{le="0.1",${labels}} 2`,
    `h_seconds_bucket{le="1",${labels}} 3`,
    `h_seconds_bucket{le="+Inf",${labels}} 4`,
    `h_seconds_sum{${labels}} 7.65`,
    `h_seconds_count{${labels}} 4`,
    '',
  ])
})

test('the metrics of several processes are one text in which each sample carries its worker', async () => {
  const reports = ['7', '8'].map(worker => {
    const registry = new Registry()
    registry.setDefaultLabels({ worker })
    const registers = [registry]
    new Counter({ name: 'a', help: 'first', labelNames: ['x'], registers }).inc({ x: '1' }, Number(worker))
    // prom-client would leave this one out, and take the mean of the next.
    new Gauge({ name: 'b', help: 'second', aggregator: 'omit', registers }).set(Number(worker))
    new Gauge({ name: 'c', help: 'third', aggregator: 'average', registers }).set(Number(worker))
    new Gauge({ name: 'd', help: 'fourth', registers }).set(Number.NaN)
    return registry.getMetricsAsJSON()
  })
  // Reports cross the channel between processes as JSON.
  const received = JSON.parse(JSON.stringify(await Promise.all(reports)))
  const text = await aggregate(received).metrics()
  assert.equal(
    text,
    '# HELP a first\n# TYPE a counter\na{x="1",worker="7"} 7\na{x="1",worker="8"} 8\n\n' +
      '# HELP b second\n# TYPE b gauge\nb{worker="7"} 7\nb{worker="8"} 8\n\n' +
      '# HELP c third\n# TYPE c gauge\nc{worker="7"} 7\nc{worker="8"} 8\n\n' +
      '# HELP d fourth\n# TYPE d gauge\nd{worker="7"} Nan\nd{worker="8"} Nan\n',
  )
})

test('with TILLGATE_WORKERS any worker answers /metrics for all of them', { timeout: 300_000 }, async t => {
  const cli = await createCli()
  const node = await startNode(cli, { TILLGATE_WORKERS: '2', TILLGATE_LOG_LEVEL: 'silent' })
  t.after(() => node.process.kill('SIGKILL'))
  for (let i = 0; i < 20; i++) {
    await (await fetch(`${node.base}/health/live`, { headers: { connection: 'close' } })).arrayBuffer()
  }
  const { text } = await node.get('/metrics')
  const live = [
    ...text.matchAll(/_count\{method="GET",route="\/health\/live",status="200",worker="(\d+)"\} (\d+)/g),
  ]
  assert.equal(
    live.reduce((sum, [, , count]) => sum + Number(count), 0),
    20,
  )
  const workers = new Set(
    [...text.matchAll(/^process_start_time_seconds\{worker="(\d+)"\}/gm)].map(([, pid]) => pid),
  )
  assert.equal(workers.size, 2)
  assert.deepEqual(await node.stop(), [0, null])
  cli.remove()
})
