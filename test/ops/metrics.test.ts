import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { mergeMetrics } from '../../src/http/observe/merge-metrics.ts'
import { createHistogram } from '../../src/http/observe/histogram.ts'
import { createCli } from '../helpers/cli.ts'
import { startNode } from '../helpers/nodes.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** What test/ops/health says of requests, said of the database, of overload and of several processes. */

let server: TestServer

before(async () => {
  server = await startServer()
})

afterEach(() => mock.restoreAll())

after(() => server.close())

/** The value of one sample; 0 when it is not there. */
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

  test('one that fails is counted as failed, and fails for its caller', async () => {
    mock.method(server.storage, 'ping', async () => {
      throw new Error('gone')
    })
    const before = await sample(operation('ping', 'failed'))
    assert.equal((await server.get('/health/ready')).status, 503)
    assert.equal(await sample(operation('ping', 'failed')), before + 1)
  })
})

test('connections that are open are counted', async () => {
  assert.ok((await sample('tillgate_http_connections')) >= 1)
})

test('a histogram counts up to each bound, and beyond all', () => {
  const histogram = createHistogram('h_seconds', 'help', [0.1, 1])
  const observe = histogram.of({ a: 'x"y\\z\n' })
  for (const seconds of [0.05, 0.1, 0.5, 7]) observe(seconds)
  histogram.of({ a: 'nothing' })
  const labels = 'a="x\\"y\\\\z\\n"'
  assert.deepEqual(histogram.text().split('\n'), [
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

test('the metrics of several processes are one text, in which each sample says whose it is', () => {
  const text = (n: number) =>
    `# HELP a first\n# TYPE a counter\na{x="1"} ${n}\n\n# HELP b second\n# TYPE b gauge\nb ${n}\n`
  assert.equal(
    mergeMetrics([
      ['7', text(1)],
      ['8', text(2)],
    ]),
    '# HELP a first\n# TYPE a counter\na{worker="7",x="1"} 1\na{worker="8",x="1"} 2\n' +
      '# HELP b second\n# TYPE b gauge\nb{worker="7"} 1\nb{worker="8"} 2\n',
  )
})

test('with TILLGATE_WORKERS whoever is asked answers for all', { timeout: 60_000 }, async t => {
  const cli = await createCli()
  const node = await startNode(cli, { TILLGATE_WORKERS: '2', TILLGATE_LOG_LEVEL: 'silent' })
  t.after(() => node.process.kill('SIGKILL'))
  for (let i = 0; i < 20; i++) {
    await (await fetch(`${node.base}/health/live`, { headers: { connection: 'close' } })).arrayBuffer()
  }
  const { text } = await node.get('/metrics')
  const live = [
    ...text.matchAll(/_count\{worker="(\d+)",method="GET",route="\/health\/live",status="200"\} (\d+)/g),
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
