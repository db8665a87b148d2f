import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

/** `npm run test:package`: packs this repository, installs the package into an empty folder and uses it there. */

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tillgate-package-'))
const bin = join(folder, 'node_modules/tillgate/bin/tillgate.js')
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', TILLGATE_WORKERS: '2' }

/** npm needs what the machine says about proxies and certificates, and not what the npm that runs this test says. */
const envOfNpm = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

const run = (
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string =>
  execFileSync(command, args, {
    cwd: folder,
    env,
    ...options,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

before(() => {
  run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], { cwd: root, env: envOfNpm })
  const [archive = ''] = readdirSync(folder)
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['install', ...quietly, `./${archive}`], { env: envOfNpm })
})

after(() => rmSync(folder, { recursive: true, force: true }))

test('the package holds compiled files and the guides that the server shows, and no others', () => {
  const installed = join(folder, 'node_modules/tillgate')
  assert.ok(existsSync(join(installed, 'dist/cli.js')))
  assert.match(readFileSync(join(installed, 'dist/LICENSES.txt'), 'utf8'), /^fastify [\d.]+ \(MIT\)$/m)
  for (const name of ['src', 'test', 'docs/architecture.md', 'bench', 'scripts', 'client/src'])
    assert.ok(!existsSync(join(installed, name)), name)
})

test('demo, import and doctor', () => {
  const demo = JSON.parse(
    run('npx', ['tillgate', 'demo', '--no-serve', '--stores', '1', '--orders', '100', '--json']),
  )
  assert.equal(demo.stores.length, 1)
  copyFileSync(join(root, 'examples/records.ndjson'), join(folder, 'records.ndjson'))
  const counts = JSON.parse(run('npx', ['tillgate', 'import', 'records.ndjson', '--json']))
  assert.equal(counts.stores, 1)
  assert.ok(counts.orders > 0)
  assert.equal(JSON.parse(run('npx', ['tillgate', 'doctor', '--json'])).ok, true)
})

test('demo: run again, it serves with two workers and the example app, which sends merchants to the consent page', async t => {
  const demo = spawn(process.execPath, [bin, 'demo'], {
    cwd: folder,
    env: { ...env, TILLGATE_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => demo.kill('SIGKILL'))
  let printed = ''
  for await (const chunk of demo.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    if (/^Tillgate is ready at /m.test(printed)) break
  }
  const site = /Example app +(\S+)/.exec(printed)?.[1] ?? ''
  for (const path of ['/', '/ledger.css', '/live.js', '/icon.svg']) {
    assert.equal((await fetch(site + path)).status, 200, path)
  }
  const consent = await fetch(`${site}/connect`, { redirect: 'manual' })
  assert.match(consent.headers.get('location') ?? '', /\/auth\/v2\/authorize\?/)
  demo.kill('SIGTERM')
  assert.deepEqual(await once(demo, 'exit'), [0, null])
})

test('serve: two workers answer on the API, the pages and the API reference, and stop with exit code 0', async t => {
  const server = spawn(process.execPath, [bin, 'serve'], {
    cwd: folder,
    env: { ...env, TILLGATE_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => server.kill('SIGKILL'))
  const [line] = await once(server.stdout, 'data')
  const base = /http:\S+/.exec(String(line))?.[0]
  for (const path of [
    '/health/ready',
    '/login',
    '/assets/console.css',
    '/docs/',
    '/docs/guides/client',
    '/docs/examples/python/changes.py',
    '/openapi.json',
  ]) {
    assert.equal((await fetch(base + path)).status, 200, path)
  }
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
})
