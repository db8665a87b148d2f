import assert from 'node:assert/strict'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { after, describe, test, type TestContext } from 'node:test'
import { ConfigError, readConfig } from '../../src/config.ts'
import { createCli } from '../helpers/cli.ts'
import { clientCredentials } from '../helpers/token.ts'

/** The real `tillgate serve` as a process of its own: how it begins, how it ends, and what it says when it cannot. */

const cli = await createCli()
after(cli.remove)

interface Serving {
  process: ChildProcessWithoutNullStreams
  base: string
  /** Exit code and signal. */
  ended: Promise<[code: number | null, signal: string | null]>
  stdout: Promise<string>
  stderr: Promise<string>
}

async function serve(t: TestContext, env: Record<string, string> = {}): Promise<Serving> {
  const child = cli.start(['serve'], { PORT: '0', ...env })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close') as Serving['ended']
  const stdout = text(child.stdout)
  const stderr = text(child.stderr)
  const words = await Promise.race([once(child.stdout, 'data'), ended.then(async () => [await stderr])])
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(String(words[0]))?.[0]
  assert.ok(base, `it did not start: ${words[0]}`)
  return { process: child, base, ended, stdout, stderr }
}

const platform = cli.json<{ client_id: string; client_secret: string }>([
  'app',
  'create',
  '--name',
  'Till',
  '--scope',
  'platform.write',
])

async function tokenFrom(base: string): Promise<string> {
  const { client_id, client_secret } = await platform
  const response = await fetch(`${base}/auth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams(clientCredentials({ client_id, client_secret })),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

describe('SIGTERM and SIGINT', () => {
  for (const [signal, id] of [
    ['SIGTERM', 10],
    ['SIGINT', 20],
  ] as const) {
    test(`${signal}: a request in flight gets its whole answer, new connections are refused, exit code 0`, {
      timeout: 300_000,
    }, async t => {
      const server = await serve(t)
      const token = await tokenFrom(server.base)
      const { port } = new URL(server.base)
      const sent = request({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/platform/v1/records',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-ndjson',
          // So that the server says when it has the request.
          expect: '100-continue',
        },
      })
      const answered = once(sent, 'response')
      sent.flushHeaders()
      await once(sent, 'continue')
      sent.write(`{"kind":"store","id":${id},"name":"One","timezone":"Europe/London"}\n`)
      server.process.kill(signal)
      await refusesConnections(server.base)
      sent.end(`{"kind":"store","id":${id + 1},"name":"Two","timezone":"Europe/London"}\n`)
      const [response] = await answered
      assert.equal(response.statusCode, 200)
      assert.deepEqual(
        JSON.parse(await text(response)).data,
        { stores: 2, items: 0, orders: 0, unchanged: 0, stale: 0 },
        'stored, and told so',
      )
      // Soon: neither this client nor the one that asked for the token holds it back by a kept-alive connection.
      const began = performance.now()
      assert.deepEqual(await server.ended, [0, null])
      assert.ok(performance.now() - began < 30_000)
      assert.match(
        await server.stdout,
        /^[^\n]*http:\/\/127\.0\.0\.1:\d+[^\n]*\n$/,
        'exactly one line, with the address',
      )
      for (const line of (await server.stderr).trim().split('\n')) JSON.parse(line)
    })
  }
})

async function refusesConnections(base: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const answer = await fetch(`${base}/health/live`, { headers: { connection: 'close' } }).catch(() => null)
    if (answer === null) return
    await setTimeout(50)
  }
  assert.fail('it still takes new connections')
}

describe('TILLGATE_WORKERS=2', () => {
  test('two processes serve on one port, say so in one line, share what they know, and stop cleanly', {
    timeout: 300_000,
  }, async t => {
    // A long queue timeout: on a busy machine two processes that have just started would reject some of 40.
    const server = await serve(t, {
      TILLGATE_WORKERS: '2',
      TILLGATE_LOG_LEVEL: 'info',
      TILLGATE_MAX_WAIT: '20000',
      TILLGATE_WORKRES: '3',
    })
    const token = await tokenFrom(server.base)
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        fetch(`${server.base}/platform/v1/records`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/x-ndjson',
            connection: 'close',
          },
          body: '{"kind":"store","id":9,"name":"Nine","timezone":"Europe/London"}\n',
        }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    server.process.kill('SIGTERM')
    assert.deepEqual(await server.ended, [0, null])
    assert.match(await server.stdout, /^[^\n]+\n$/)
    const lines = (await server.stderr)
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const misspelt = lines.filter(({ msg }) => msg.includes('TILLGATE_WORKRES'))
    assert.deepEqual(
      misspelt.map(({ level, msg }) => [level, msg]),
      [[40, 'TILLGATE_WORKRES is not a setting; did you mean TILLGATE_WORKERS?']],
      'one warning, not one for each process',
    )
    const pids = new Set(lines.filter(({ msg }) => msg === 'request').map(({ pid }) => pid))
    assert.equal(pids.size, 2, 'both took part')
  })
})

describe('a configuration that cannot be: one line that names the variable and the value, and exit code above 0', () => {
  const rows: { env: Record<string, string>; says: RegExp }[] = [
    { env: { PORT: 'abc' }, says: /PORT.*"abc".*0 to 65535/ },
    { env: { PORT: '65536' }, says: /PORT.*"65536"/ },
    { env: { PORT: '-1' }, says: /PORT.*"-1"/ },
    { env: { PORT: '80.5' }, says: /PORT.*"80\.5"/ },
    { env: { PORT: '0x50' }, says: /PORT.*"0x50"/ },
    {
      env: { TILLGATE_BASE_URL: 'https://pos.example.com/api' },
      says: /TILLGATE_BASE_URL.*pos\.example\.com\/api/,
    },
    { env: { TILLGATE_BASE_URL: 'https://pos.example.com?x' }, says: /TILLGATE_BASE_URL/ },
    { env: { TILLGATE_BASE_URL: 'https://user@pos.example.com' }, says: /TILLGATE_BASE_URL/ },
    { env: { TILLGATE_BASE_URL: 'HTTPS://POS.example.com' }, says: /TILLGATE_BASE_URL/ },
    { env: { TILLGATE_BASE_URL: 'pos.example.com' }, says: /TILLGATE_BASE_URL/ },
    { env: { TILLGATE_BASE_URL: 'ftp://pos.example.com' }, says: /TILLGATE_BASE_URL/ },
    { env: { TILLGATE_WORKERS: '0' }, says: /TILLGATE_WORKERS.*"0".*1 to 256/ },
    { env: { TILLGATE_WORKERS: 'many' }, says: /TILLGATE_WORKERS.*"many"/ },
    {
      env: { TILLGATE_WORKERS: '2', TILLGATE_DATABASE: ':memory:' },
      says: /TILLGATE_WORKERS is "2", but each process has its own :memory: database/,
    },
    { env: { TILLGATE_LOG_LEVEL: 'loud' }, says: /TILLGATE_LOG_LEVEL.*"loud".*info/ },
    { env: { TILLGATE_RATE_LIMIT: '-5' }, says: /TILLGATE_RATE_LIMIT.*"-5"/ },
    { env: { TILLGATE_READ_DATABASE: 'postgres://u:hunter2@db/x' }, says: /TILLGATE_READ_DATABASE.*SQLite/ },
    {
      env: { TILLGATE_DATABASE: 'postgres://db/x', TILLGATE_READ_DATABASE: 'mysql://u:hunter2@db/x' },
      says: /TILLGATE_READ_DATABASE is not a postgres:\/\/ URL/,
    },
    { env: { TILLGATE_DATABASE_POOL: '0' }, says: /TILLGATE_DATABASE_POOL.*"0".*1 to 1000/ },
    {
      env: { TILLGATE_DATABASE_STATEMENT_TIMEOUT: '0' },
      says: /TILLGATE_DATABASE_STATEMENT_TIMEOUT.*"0".*1 to/,
    },
    {
      env: { TILLGATE_DATABASE_CONNECT_TIMEOUT: '3s' },
      says: /TILLGATE_DATABASE_CONNECT_TIMEOUT.*"3s"/,
    },
    { env: { TILLGATE_READ_STALENESS: '1.5' }, says: /TILLGATE_READ_STALENESS.*"1\.5".*0 to 86400/ },
    {
      env: { TILLGATE_DATABASE: 'mysql://root:hunter2@db/x' },
      says: /TILLGATE_DATABASE starts with "mysql:"/,
    },
    {
      env: { TILLGATE_BASE_URL: 'https://u:hunter2@pos.example.com' },
      says: /TILLGATE_BASE_URL is not shown/,
    },
    { env: { TILLGATE_WORKERS: 'postgres://u:hunter2@db/x' }, says: /TILLGATE_WORKERS is not shown/ },
    { env: { TILLGATE_DATABASE: tmpdir() }, says: /TILLGATE_DATABASE.*is a folder/ },
    {
      env: { TILLGATE_DATABASE: '/dev/null/a/b.db' },
      says: /TILLGATE_DATABASE.*\/dev\/null is not a folder/,
    },
    ...[
      'nonsense',
      '10.0.0.1,',
      '10.0.0.256',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '::1/129',
      '10.0.0.0/8/8',
      'true',
    ].map(proxies => ({
      env: { TILLGATE_TRUST_PROXY: proxies },
      says: /TILLGATE_TRUST_PROXY has ".*"; it must be addresses, ranges such as .* or loopback/,
    })),
  ]
  for (const { env, says } of rows) {
    test(JSON.stringify(env), () => {
      assert.throws(
        () => readConfig(env),
        error => {
          assert.ok(error instanceof ConfigError)
          assert.match(error.message, says)
          assert.doesNotMatch(error.message, /hunter2|\n/)
          return true
        },
      )
    })
  }

  test('TILLGATE_TRUST_PROXY takes addresses, ranges and the three names', () => {
    const trusted = (value: string) => readConfig({ TILLGATE_TRUST_PROXY: value }).trust_proxy
    assert.equal(trusted(' '), '')
    assert.equal(
      trusted('10.0.0.1, 10.0.0.0/8,::1,fd00::/8, loopback,linklocal ,uniquelocal'),
      '10.0.0.1,10.0.0.0/8,::1,fd00::/8,loopback,linklocal,uniquelocal',
    )
  })

  const served = [
    { PORT: 'abc' },
    { TILLGATE_BASE_URL: 'https://pos.example.com/api' },
    { TILLGATE_DATABASE: '/dev/null/tillgate.db' },
    { TILLGATE_TRUST_PROXY: 'nonsense' },
    { TILLGATE_WORKERS: '2', TILLGATE_TRUST_PROXY: 'nonsense' },
    { TILLGATE_WORKERS: '2', TILLGATE_DATABASE: ':memory:' },
  ]
  for (const [i, given] of (served as Record<string, string>[]).entries()) {
    test(`serve with ${JSON.stringify(given)}`, { timeout: 300_000 }, async () => {
      const env = { PORT: '0', TILLGATE_LOG_LEVEL: 'silent', ...given }
      // The first as a whole process: only that shows that the message is all there is, and the exit code.
      const { code, stdout, stderr } = await (i === 0 ? cli.spawn : cli.run)(['serve'], { env })
      assert.ok(code !== null && code > 0, `exit code ${code}`)
      assert.equal(stdout, '')
      for (const line of stderr.trim().split('\n')) assert.match(line, /^tillgate: \S/)
      assert.match(stderr, /^tillgate: [^\n]+\n$/)
      const shown = ['abc', 'pos.example.com/api', '/dev/null', 'nonsense', ':memory:']
      assert.ok(
        shown.some(value => stderr.includes(value)),
        stderr,
      )
      assert.doesNotMatch(stderr, /\.[jt]s:|node:/)
    })
  }

  test('a base URL with a slash behind it is the same base URL', { timeout: 300_000 }, async t => {
    const child = cli.start(['serve'], { PORT: '0', TILLGATE_BASE_URL: 'https://pos.example.com/' })
    t.after(() => child.kill('SIGKILL'))
    const [words] = await once(child.stdout, 'data')
    assert.equal(String(words), 'Tillgate is ready at https://pos.example.com\n')
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'close'), [0, null])
  })
})
