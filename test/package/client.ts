import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { findOldNode } from '../helpers/old-node.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { startWorld, type World } from '../helpers/world.ts'

/** `npm run test:package`: packs tillgate-client, installs it into an empty folder and uses it there. */

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tillgate-client-package-'))
const installed = join(folder, 'node_modules/tillgate-client')
let world: World
let env: Record<string, string | undefined>

/** Not the synchronous one: the server is in this process. */
const run = async (command: string, args: string[], cwd = folder) =>
  (await promisify(execFile)(command, args, { cwd, env })).stdout

before(async () => {
  world = await startWorld([1001, 9007199254740993n])
  await world.push(sampleOrder(), sampleItem())
  env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    TILLGATE_CLIENT_ID: world.reader.client_id,
    TILLGATE_CLIENT_SECRET: world.reader.client_secret,
    TILLGATE_URL: world.server.base,
  }
  await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], join(root, 'client'))
  const [archive = ''] = readdirSync(folder)
  await run('npm', ['install', '--no-audit', '--no-fund', '--offline', '--loglevel=error', `./${archive}`])
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const program = `import { createClient } from 'tillgate-client'
const { TILLGATE_URL, TILLGATE_CLIENT_ID, TILLGATE_CLIENT_SECRET } = process.env
const client = createClient({ baseUrl: TILLGATE_URL, clientId: TILLGATE_CLIENT_ID, clientSecret: TILLGATE_CLIENT_SECRET })
for await (const { id } of client.stores()) console.log(typeof id, String(id))
`

test('the package holds compiled files, and nothing else is installed with it', () => {
  assert.ok(existsSync(join(installed, 'dist/index.d.ts')))
  assert.ok(existsSync(join(installed, 'README.md')))
  assert.ok(!existsSync(join(installed, 'src')))
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter(name => !name.startsWith('.')),
    ['tillgate-client'],
  )
})

const stores = 'number 1001\nbigint 9007199254740993\n'

test('the library runs, and on Node 20 too where the machine has it', async () => {
  writeFileSync(join(folder, 'stores.mjs'), program)
  for (const node of [process.execPath, findOldNode()]) {
    if (node === null) continue
    assert.equal(await run(node, ['stores.mjs']), stores)
  }
})

test('a clone: installed by its path, the client is compiled and runs', async () => {
  rmSync(join(root, 'client/dist'), { recursive: true, force: true })
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{}')
  await run('npm', ['install', '--offline', '--loglevel=error', join(root, 'client')], app)
  writeFileSync(join(app, 'stores.mjs'), program)
  assert.equal(await run(process.execPath, ['stores.mjs'], app), stores)
  assert.equal(await run(process.execPath, ['--input-type=module', '--eval', program], root), stores)
  const old = findOldNode()
  const bin = join(app, 'node_modules/tillgate-client/bin/tillgate-client.js')
  if (old !== null) assert.match(await run(old, [bin, '--help']), /mirror/)
})

test('a clone without a compiler: npm ci --omit=dev goes on, and packing the client is refused', async () => {
  const clone = join(folder, 'clone')
  for (const name of ['client/package.json', 'scripts/build-client.js'])
    cpSync(join(root, name), join(clone, name))
  const prepare = (command: string, ...args: string[]) =>
    run('npm', [command, ...args], join(clone, 'client'))
  await assert.rejects(prepare('run', 'prepare'), /run "npm ci" in the clone first/)
  mkdirSync(join(clone, 'node_modules'))
  await prepare('run', 'prepare')
  await assert.rejects(prepare('pack'), /run "npm ci" in the clone first/)
})

for (const [runtime, ...args] of [['deno', 'run', '-A'], ['bun']] as const) {
  const skip = spawnSync(runtime, ['--version']).status !== 0 && `${runtime} is not installed`
  test(`${runtime}: the library and mirror run`, { skip }, async () => {
    writeFileSync(join(folder, 'stores.mjs'), program)
    assert.equal(await run(runtime, [...args, 'stores.mjs']), stores)
    const bin = join(installed, 'bin/tillgate-client.js')
    const to = ['--url', world.server.base, '--to', `${runtime}.db`, '--json']
    const { complete, orders } = JSON.parse(await run(runtime, [...args, bin, 'mirror', ...to]))
    assert.deepEqual([complete, orders], [true, 1])
  })
}

test('its types compile under tsc --strict', async () => {
  const code = `import { createClient, isTillgateError, type Order, verifyWebhook } from 'tillgate-client'
const client = createClient({ baseUrl: 'http://localhost', clientId: 'a', clientSecret: 'b' })
export async function total(storeId: bigint): Promise<number> {
  let sum = 0
  try {
    for await (const order of client.orders({ storeId, from: new Date() })) sum += (order satisfies Order).subtotal ?? 0
    for await (const change of client.changes({ storeId })) if (change.kind === 'item') sum += change.data.price
    const { days } = await client.receipts({ storeId, startDay: '2026-11-01', endDay: '2026-11-01' })
    const event = await verifyWebhook({ secret: '', headers: {}, body: '' })
    if (event.type === 'store.changed') sum += event.data.seq
    return sum + days.length
  } catch (error) {
    if (isTillgateError(error, 'feed_changed')) return 0
    throw error
  }
}
// @ts-expect-error: no such call
client.nothing()
`
  writeFileSync(join(folder, 'use.ts'), code)
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom,dom.asynciterable',
  ]
  await run(join(root, 'node_modules/.bin/tsc'), [...options, '--types', '', 'use.ts'])
})

test('its command mirrors and verifies; an older Node says what it needs', async () => {
  const args = (command: string) => [
    'tillgate-client',
    command,
    '--url',
    world.server.base,
    '--to',
    'shop.db',
    '--json',
  ]
  const { requests, ...counts } = JSON.parse(await run('npx', args('mirror')))
  assert.deepEqual(counts, { stores: 2, orders: 1, items: 1, complete: true })
  assert.ok(requests > 3)
  assert.equal(JSON.parse(await run('npx', args('verify'))).complete, true)
  const old = findOldNode()
  if (old === null) return
  const bin = join(installed, 'bin/tillgate-client.js')
  await assert.rejects(run(old, [bin, ...args('mirror').slice(1)]), /needs Node 22\.13 or newer; this is v2/)
  const ndjson = await run(old, [
    bin,
    ...args('mirror').slice(1, -2),
    'shop.ndjson',
    '--format',
    'ndjson',
    '--json',
  ])
  assert.equal(JSON.parse(ndjson).complete, true)
})
