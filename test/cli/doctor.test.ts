import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../../src/lib/clock.ts'
import { connectionsOf, databaseChecks } from '../../src/cli/doctor/database.ts'
import { readConfig } from '../../src/config.ts'
import type { Examination } from '../../src/storage/port/examination.ts'
import { versionRemarks } from '../../src/storage/postgres/schema/examine.ts'
import { examine } from '../../src/storage/open.ts'
import { type Cli, createCli } from '../helpers/cli.ts'
import { onPostgres, postgresAlone, sqliteAlone } from '../helpers/engine.ts'
import { type Node, startNode } from '../helpers/nodes.ts'
import { freePort } from '../helpers/ports.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { tokenOf } from '../helpers/tills.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

interface Report {
  ok: boolean
  checks: { name: string; state: string; message: string; remedy: string | null }[]
}

let cli: Cli
let node: Node

before(async () => {
  cli = await createCli()
  node = await startNode(cli, {})
  const client = await cli.json<{ client_id: string; client_secret: string }>([
    'app',
    'create',
    '--name',
    'A',
  ])
  await tokenOf(node.base, client)
})

after(async () => {
  await node.stop()
  cli.remove()
})

async function doctor(env: Record<string, string> = {}): Promise<Report & { code: number | null }> {
  // Node reads NODE_EXTRA_CA_CERTS when it starts.
  const run = env['NODE_EXTRA_CA_CERTS'] ? cli.spawn : cli.run
  const { code, stdout, stderr } = await run(['doctor', '--json'], { env })
  assert.equal(stderr, '')
  const report = JSON.parse(stdout) as Report
  assert.equal(
    report.ok,
    report.checks.every(({ state }) => state !== 'problem'),
  )
  for (const { state, remedy, message } of report.checks) {
    assert.equal(remedy === null, state === 'ok', message)
    assert.doesNotMatch(message, /hunter2|:test@/)
  }
  return { ...report, code }
}

/** The states of the checks of one name. */
const states = ({ checks }: Report, name: string) =>
  checks.filter(check => check.name === name).map(({ state }) => state)

/** The tests' own PostgreSQL flushes nothing, for speed, and doctor sees it. */
const always = onPostgres ? ['durability'] : []
const problems = ({ checks }: Report) =>
  checks.filter(({ state, name }) => state === 'problem' && !always.includes(name)).map(({ name }) => name)

/** Where the server is, as it was started. */
const here = () => ({ PORT: new URL(node.base).port })

test('a healthy deployment: everything is looked at, nothing is wrong, exit code 0, in words too', async () => {
  const report = await doctor(here())
  assert.deepEqual(problems(report), [])
  assert.equal(report.code, always.length)
  const names = new Set(report.checks.map(({ name }) => name))
  const expected = [
    'database',
    'schema',
    'durability',
    'signing key',
    'workers',
    'base URL',
    'public address',
    'clock',
  ]
  for (const name of [...expected, 'proxy headers', onPostgres ? 'connections' : 'disk'])
    assert.ok(names.has(name), name)
  const { code, stdout } = await cli.run(['doctor'], { env: here() })
  assert.equal(code, always.length)
  assert.match(stdout, /^ok {7}database: (SQLite|PostgreSQL) \d/)
  assert.equal(stdout.match(/PROBLEM/g)?.length ?? 0, always.length)
})

test('it changes nothing', async () => {
  const empty = await createCli()
  const { code } = await empty.run(['doctor'])
  if (onPostgres) {
    const [found] = await administer(
      empty.database,
      `select to_regclass('schema_migrations') is null as untouched`,
    )
    assert.deepEqual(found, { untouched: true })
  } else {
    assert.equal(code, 1, 'there is no file')
    assert.throws(() => readFileSync(empty.database), { code: 'ENOENT' })
  }
  empty.remove()
})

test('a server that is not up is a warning, since it may be looked for from elsewhere', async () => {
  const report = await doctor({ PORT: String(await freePort()) })
  assert.deepEqual([problems(report), states(report, 'public address')], [[], ['warning']])
})

describe('the address', { skip: onPostgres && 'the engine plays no part' }, () => {
  test('another server’s address is a problem', async () => {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const proxy = createServer((incoming, outgoing) => {
      incoming.pipe(
        request(new URL(incoming.url ?? '/', node.base), { headers: incoming.headers }, answer => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        }),
      )
    }).listen(port, '127.0.0.1')
    const report = await doctor({ TILLGATE_BASE_URL: base })
    proxy.close()
    assert.deepEqual([report.code, states(report, 'public address')], [1, ['problem']])
  })

  test('a proxy that keeps Authorization and X-Request-Id to itself', async () => {
    const port = await freePort()
    const behind = await startNode(cli, { TILLGATE_BASE_URL: `http://127.0.0.1:${port}` })
    const proxy = createServer((incoming, outgoing) => {
      const { authorization: _, ...headers } = incoming.headers
      incoming.pipe(
        request(new URL(incoming.url ?? '/', behind.base), { headers }, answer => {
          const { 'x-request-id': __, ...rest } = answer.headers
          outgoing.writeHead(answer.statusCode ?? 502, rest)
          answer.pipe(outgoing)
        }),
      )
    }).listen(port, '127.0.0.1')
    await once(proxy, 'listening')
    const report = await doctor({ TILLGATE_BASE_URL: `http://127.0.0.1:${port}` })
    proxy.close()
    await behind.stop()
    assert.deepEqual([report.code, states(report, 'proxy headers')], [1, ['problem', 'warning']])
    assert.deepEqual(states(report, 'public address'), ['ok'])
  })

  test('a proxy with a certificate that nobody trusts, a wrong clock, and headers that it keeps', async t => {
    const files = { key: join(cli.folder, 'key.pem'), cert: join(cli.folder, 'cert.pem') }
    try {
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
      const made = [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '2',
      ]
      execFileSync('openssl', [...made, ...subject, '-keyout', files.key, '-out', files.cert], {
        stdio: 'ignore',
      })
    } catch {
      return t.skip('there is no openssl')
    }
    const port = await freePort()
    const base = { TILLGATE_BASE_URL: `https://localhost:${port}` }
    const behind = await startNode(cli, base)
    const key = { key: readFileSync(files.key), cert: readFileSync(files.cert) }
    // Its clock is wrong too, and a header is kept back.
    const secure = createTlsServer(key, (incoming, outgoing) => {
      const { url = '/', headers } = incoming
      request(new URL(url, behind.base), { headers }, answer => {
        const { 'strict-transport-security': _, ...rest } = answer.headers
        outgoing.writeHead(answer.statusCode ?? 502, {
          ...rest,
          date: new Date(Date.now() - 60_000).toUTCString(),
        })
        answer.pipe(outgoing)
      }).end()
    }).listen(port, 'localhost')
    t.after(async () => {
      secure.close()
      secure.closeAllConnections()
      await behind.stop()
    })
    await once(secure, 'listening')
    const report = await doctor(base)
    assert.deepEqual([report.code, states(report, 'TLS')], [1, ['problem']])
    const trusted = await doctor({ ...base, NODE_EXTRA_CA_CERTS: files.cert })
    assert.deepEqual(states(trusted, 'TLS'), ['warning'], 'it ends in two days')
    assert.deepEqual(states(trusted, 'public address'), ['ok'])
    assert.equal(states(trusted, 'clock').at(-1), 'problem')
    assert.deepEqual(
      states(trusted, 'proxy headers'),
      ['ok', 'warning', 'warning'],
      'HSTS, and whom to trust',
    )
    const trusting = await doctor({
      ...base,
      NODE_EXTRA_CA_CERTS: files.cert,
      TILLGATE_TRUST_PROXY: '127.0.0.1',
    })
    assert.deepEqual(states(trusting, 'proxy headers'), ['ok', 'warning'])
  })

  test('one that is not https, and none where others can reach it', async () => {
    const clear = await doctor({ ...here(), TILLGATE_BASE_URL: 'http://pos.example.invalid' })
    assert.deepEqual([clear.code, states(clear, 'base URL')], [1, ['problem']])
    const unset = await doctor({ ...here(), HOST: '0.0.0.0' })
    assert.deepEqual([unset.code, states(unset, 'base URL')], [1, ['problem']])
  })
})

test('more workers than cores is a warning', async () => {
  const report = await doctor({ ...here(), TILLGATE_WORKERS: '256', TILLGATE_DATABASE_POOL: '1' })
  assert.deepEqual(states(report, 'workers'), ['warning'])
})

test('fewer open files than connections and listeners need is a warning', {
  skip: (process.platform !== 'linux' || onPostgres) && 'is about Linux, and not about the engine',
}, () => {
  // 136 files are for the database, the log and the libraries.
  const settings = { TILLGATE_DATABASE: cli.database, TILLGATE_MAX_CONNECTIONS: '100' }
  for (const [listeners, state] of [
    ['64', 'ok'],
    ['65', 'warning'],
  ]) {
    const { stdout } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 300 && exec "$@"', 'sh', process.execPath, 'bin/tillgate.js', 'doctor', '--json'],
      {
        env: { ...process.env, ...here(), ...settings, TILLGATE_LISTENERS: listeners },
        encoding: 'utf8',
      },
    )
    assert.deepEqual(states(JSON.parse(stdout) as Report, 'open files'), [state])
  }
})

test('little space on the disk, and a database whose clock differs', async () => {
  const config = readConfig({ TILLGATE_DATABASE: cli.database })
  const found = await examine(cli.database, { ...config, thorough: false })
  const stateOf = (name: string, changes: Partial<Examination>) =>
    databaseChecks({ ...found, ...changes }, config, systemClock).find(check => check.name === name)?.state
  const gigabyte = 1024 ** 3
  for (const [free, total, state] of [
    [0.1, 10, 'problem'],
    [1, 10, 'warning'],
    [40, 1000, 'warning'],
    [60, 1000, 'ok'],
  ] as const) {
    const disk = { folder: '/var/lib', free: free * gigabyte, total: total * gigabyte }
    assert.equal(stateOf('disk', { disk }), state, `${free} of ${total} GiB`)
  }
  for (const [seconds, state] of [
    [60, 'problem'],
    [-5, 'warning'],
    [0, 'ok'],
  ] as const) {
    assert.equal(stateOf('clock', { clock: Date.now() / 1000 + seconds }), state, `${seconds} s`)
  }
})

test('an old key is a warning that says how to rotate it', async () => {
  const old = await createCli()
  const storage = await openStorage(old.database)
  const year_ago = systemClock.now() - 365 * 86_400
  await storage.keys.addFirst({ id: 'k', use: 'sign', secret: '{}', created_at: year_ago, retired_at: null })
  await storage.close()
  const { checks } = await doctor({ TILLGATE_DATABASE: old.database })
  const key = checks.find(({ name }) => name === 'signing key')
  assert.deepEqual([key?.state, key?.message], ['warning', '365 days old'])
  assert.match(key?.remedy ?? '', /tillgate keys rotate/)
  old.remove()
})

test('a schema of another version is a problem; one that lacks a migration, a warning', async () => {
  const later = await createCli()
  const storage = await openStorage(later.database)
  await storage.close()
  async function stateAfter(sql: string): Promise<unknown[]> {
    if (onPostgres) await administer(later.database, sql)
    else {
      const { DatabaseSync } = await import('node:sqlite')
      const connection = new DatabaseSync(later.database)
      connection.exec(sql)
      connection.close()
    }
    const report = await doctor({ TILLGATE_DATABASE: later.database })
    const { state, message } = report.checks.find(({ name }) => name === 'schema') ?? {}
    return [report.code, state, message]
  }
  const branch = "update schema_migrations set name = 'branch' where number = 9"
  assert.match(
    (await stateAfter(branch)).join(),
    /^1,problem,.*migration 9 "branch" of a version that was never/,
  )
  const hole = 'delete from schema_migrations where number = 9'
  assert.match((await stateAfter(hole)).join(), /^\d,warning,version 8 of \d+$/)
  const insert = `insert into schema_migrations (number, name, applied_at) values (9999, 'later', 0)`
  assert.deepEqual((await stateAfter(insert)).slice(0, 2), [1, 'problem'])
  later.remove()
})

test('doctor counts the connections of a node by the formula of docs/scaling.md', () => {
  const [, formula = ''] = /`nodes × ([^`]+)`/.exec(readFileSync('docs/scaling.md', 'utf8')) ?? []
  for (const [workers, database_pool, ingest_threads] of [
    [1, 10, 2],
    [3, 5, 0],
    [2, 7, 3],
  ] as const) {
    const sum = formula
      .replace('workers', String(workers))
      .replace('pool', String(database_pool))
      .replace('ingest threads', String(ingest_threads))
      .replaceAll('×', '*')
    assert.match(sum, /^[\d *+()]+$/)
    assert.equal(connectionsOf({ workers, database_pool, ingest_threads }), runInNewContext(sum))
  }
})

test('doctor warns of a PostgreSQL older or newer than those that were tried: 15 to 18', () => {
  const warned = [14, 15, 16, 17, 18, 19].filter(major => versionRemarks(major).length > 0)
  assert.deepEqual(warned, [14, 19])
})

describe('SQLite', { skip: sqliteAlone }, () => {
  test('a damaged file, and one that others may read', async () => {
    const other = await createCli()
    await (await openStorage(other.database)).close()
    chmodSync(other.database, 0o644)
    const open = await doctor({ TILLGATE_DATABASE: other.database })
    assert.deepEqual([open.code, states(open, 'settings')], [0, ['warning']])
    const bytes = readFileSync(other.database)
    bytes.fill(0, bytes.length - 16_384)
    writeFileSync(other.database, bytes)
    const report = await doctor({ TILLGATE_DATABASE: other.database })
    assert.deepEqual([report.code, states(report, 'durability')], [1, ['problem']])
    other.remove()
  })
})

describe('PostgreSQL', { skip: postgresAlone }, () => {
  test('out of reach, or with a wrong password: a problem without the password in it', async () => {
    for (const [name, value] of [
      ['port', '1'],
      ['password', 'hunter2'],
    ] as const) {
      const url = new URL(cli.database)
      url[name] = value
      const report = await doctor({ ...here(), TILLGATE_DATABASE: url.href })
      assert.deepEqual([report.code, states(report, 'database')], [1, ['problem']])
    }
  })

  test('a connection to another machine that may be in the clear', async () => {
    const url = new URL(cli.database)
    // An address that never answers: the settings are reported all the same.
    url.hostname = 'db.invalid'
    for (const sslmode of ['prefer', 'disable']) {
      url.searchParams.set('sslmode', sslmode)
      const { checks } = await doctor({ ...here(), TILLGATE_DATABASE: url.href })
      const found = checks.filter(({ name }) => name === 'settings')
      assert.deepEqual(
        found.map(({ state }) => state),
        ['warning'],
      )
      assert.match(found[0]?.message ?? '', /TILLGATE_DATABASE .*encrypted/)
      assert.match(found[0]?.remedy ?? '', /sslmode=verify-full/)
    }
  })

  test('a role that may only read', async () => {
    const { database, remove } = await createCli()
    const role = `reader_${randomUUID().slice(0, 8)}`
    await migrate(database)
    await administer(
      database,
      `create role ${role} login password 'x'; grant select on all tables in schema public to ${role}`,
    )
    const url = Object.assign(new URL(database), { username: role, password: 'x' }).href
    const { checks } = await doctor({ TILLGATE_DATABASE: url })
    const found = checks.find(({ message }) => message === 'the role may not write to the tables')
    assert.equal(found?.state, 'problem')
    assert.match(found.remedy ?? '', new RegExp(`^GRANT .* TO "${role}"$`))
    await administer(database, `drop owned by ${role}; drop role ${role}`)
    remove()
  })

  test('settings that could lose what was acknowledged, and more connections than there are', async () => {
    const careless = await createCli()
    const name = new URL(careless.database).pathname.slice(1)
    await administer(careless.database, `alter database ${name} set synchronous_commit = off`)
    const report = await doctor({ TILLGATE_DATABASE: careless.database, TILLGATE_DATABASE_POOL: '1000' })
    assert.ok(states(report, 'durability').includes('problem'))
    assert.deepEqual(states(report, 'connections'), ['problem'])
    careless.remove()
  })
})
