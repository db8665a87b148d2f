import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { rules } from '../../client/src/conform/run.ts'
import { runClient } from '../helpers/client-command.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { type Exchange, type Fault, furtherPlanted, planted } from './planted-faults.ts'
import { byTest } from '../helpers/by.ts'
import { at, startWorld, type World } from '../helpers/world.ts'

/** `tillgate-client conform`: our server keeps every rule, and a server with a planted fault breaks the rule it is about. */

const folder = mkdtempSync(join(tmpdir(), 'tillgate-conform-'))
let world: World
let fault: Fault = () => {}
let faulty = ''
const asked = new Set<string>()
/** Requests of each path. */
const counts = new Map<string, number>()

/** Passes requests on to the real server, and changes its answers by the fault. */
const proxy = createServer(async (request, response) => {
  let sent = ''
  for await (const chunk of request) sent += chunk
  asked.add(`${request.method} ${request.url?.split('?')[0]}`)
  const url = new URL(request.url ?? '', world.server.base)
  const { authorization, 'content-type': type } = request.headers
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    redirect: 'manual',
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
    body: sent || null,
  })
  const text = await answer.text()
  const headers: Record<string, string> = {}
  for (const name of ['content-type', 'cache-control', 'location']) {
    const value = answer.headers.get(name)
    if (value !== null) headers[name] = value
  }
  const isJson = headers['content-type']?.includes('json')
  const exchange: Exchange = {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    authorization,
    form: new URLSearchParams(sent),
    status: answer.status,
    headers,
    body: isJson ? JSON.parse(text) : text,
    nth: (counts.get(url.pathname) ?? 0) + 1,
  }
  counts.set(url.pathname, exchange.nth)
  await fault(exchange)
  response.writeHead(exchange.status, exchange.headers)
  response.end(typeof exchange.body === 'string' ? exchange.body : JSON.stringify(exchange.body))
})

before(async () => {
  world = await startWorld([1001, 1002])
  const orders = Array.from({ length: 14 }, (_, i) => sampleOrder({ id: `O-${i}`, created_at: at(i * 60) }))
  const lines = [1, 2].map(tid => ({ ...sampleOrder().carts[0], tid, menu_id: tid }))
  // More than a page of 100, and on both days.
  const nextDay = Array.from({ length: 100 }, (_, i) =>
    sampleOrder({ id: `N-${i}`, created_at: at(90_000 + i) }),
  )
  await world.push(...orders, ...nextDay, sampleOrder({ id: 'two lines', carts: lines }))
  await world.push(...[1, 2, 3, 4].map(id => sampleItem({ id })), sampleItem({ id: 12, status: 4 }))
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  faulty = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
after(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const conform = (url: string, ...more: string[]) =>
  runClient(['conform', '--url', url, '--day', '2026-11-01', '--store', '1001', ...more], world.reader)

test('our server keeps every rule, and none is skipped', async () => {
  asked.clear()
  fault = () => {}
  const file = join(folder, 'report.xml')
  const { code, stdout, stderr } = await conform(faulty, '--json', '--junit', file)
  assert.equal(stderr, '')
  const report = JSON.parse(stdout)
  assert.deepEqual(
    report.rules.filter(({ result }: any) => result !== 'pass'),
    [],
  )
  assert.deepEqual([code, report.passed, report.failed, report.skipped], [0, rules.length, 0, 0])
  const xml = readFileSync(file, 'utf8')
  assert.match(xml, new RegExp(`tests="${rules.length}" failures="0" skipped="0"`))
  assert.equal(xml.match(/<testcase /g)?.length, rules.length)
  // Read only: nothing but tokens, and an activation without a token, is posted.
  assert.deepEqual([...asked].filter(each => !each.startsWith('GET ')).sort(), [
    'POST /auth/v2/token',
    'POST /integration/v1/store/1001/activate',
  ])
})

test('one line for each rule, with the section, what was expected and what was seen', async () => {
  const { code, stdout } = await conform(world.server.base, '--rule', 'token.lifetime')
  assert.equal(
    stdout.replace(/\d+ requests/, 'N requests'),
    'pass  5.3    token.lifetime  expected: expires_in is 172800; seen: 172800\n1 passed, 0 failed, 0 skipped; N requests\n',
  )
  assert.equal(code, 0)
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length, 'rules have different names')
  assert.equal((await conform(world.server.base, '--rule', 'nothing')).code, 2)
})

test('without data the rules about it are skipped', async () => {
  const { code, stdout } = await runClient(
    [
      'conform',
      '--url',
      world.server.base,
      '--day',
      '2020-01-01',
      '--store',
      '1002',
      '--rule',
      'order.fields',
    ],
    world.reader,
  )
  assert.deepEqual(
    [code, /^skip .* no orders to look at\n0 passed, 0 failed, 1 skipped/.test(stdout)],
    [1, true],
    stdout,
  )
})

test('a run that skips more than half of the rules says so in its last line, and fails', async () => {
  const nowhere = ['conform', '--url', world.server.base, '--day', '2020-01-01', '--store', '1002']
  const few = await runClient([...nowhere, '--rule', 'cart'], world.reader)
  assert.match(
    few.stdout,
    /\ntoo little data to judge: 4 of 4 rules skipped; name a store and a day with orders .*\n$/,
  )
  assert.equal(few.code, 1)
  const json = JSON.parse((await runClient([...nowhere, '--rule', 'cart', '--json'], world.reader)).stdout)
  assert.equal(json.too_little_data, true)
  // Less than half of all rules need orders, items or sales.
  const all = await runClient(nowhere, world.reader)
  assert.deepEqual([all.code, all.stdout.includes('too little')], [0, false], all.stdout)
})

for (const scope of [
  'integration.store integration.order',
  'integration.store integration.inventory',
  'integration.store',
  'integration.order',
]) {
  test(`an app with ${scope} finds no fault, and each rule it cannot judge names a scope`, async () => {
    const app = await world.server.newApp({ scope })
    await world.server.apps.authorize(app.client_id, [1001n, 1002n], byTest)
    const args = ['conform', '--url', world.server.base, '--day', '2026-11-01', '--store', '1001', '--json']
    const { stdout, stderr } = await runClient(args, app)
    assert.equal(stderr, '')
    const { rules: results } = JSON.parse(stdout)
    const others = results.filter(({ result }: any) => result !== 'pass')
    assert.notEqual(others.length, 0)
    for (const { result, rule, seen } of others) {
      assert.match(`${result} ${rule}: ${seen}`, /^skip .*: the app has no scope integration\.\w+$/)
      assert.ok(!scope.includes(seen.split(' ').at(-1)), `${rule}: ${seen}`)
    }
  })
}

test('an app without integration.store must name the store', async () => {
  const app = await world.server.newApp({ scope: 'integration.order' })
  await world.server.apps.authorize(app.client_id, [1001n], byTest)
  const args = ['conform', '--url', world.server.base, '--rule', 'order.fields']
  assert.match(
    (await runClient(args, app)).stdout,
    /^skip .*: the app has no scope integration.store; name a store with --store/,
  )
})

test('a server that goes on to answer 429 is not judged', async () => {
  fault = exchange => {
    if (exchange.status !== 401) return
    exchange.status = 429
    exchange.headers['retry-after'] = '0.01'
  }
  const { stdout } = await conform(faulty, '--rule', 'token.secret')
  assert.match(stdout, /^skip .*; seen: \/auth\/v2\/token: too many requests \(429\)\n/)
})

for (const rule of ['paging.last.orders', 'orders.days']) {
  test(`${rule} holds while a new order is written after each request`, async () => {
    const ofSecond = (seconds: number) =>
      sampleOrder({ id: `${rule}-${seconds}`, store_id: 1002, created_at: at(seconds) })
    await world.push(ofSecond(1), ofSecond(90_000))
    fault = ({ path, nth }) => path.endsWith('/orders') && world.push(ofSecond(100_000 + nth))
    const args = ['conform', '--url', faulty, '--day', '2026-11-01', '--store', '1002', '--rule', rule]
    const { code, stdout } = await runClient(args, world.reader)
    assert.deepEqual([code, stdout.slice(0, 4)], [0, 'pass'], stdout)
  })
}

describe('a wrong server', () => {
  test('every rule has a planted fault', () => {
    assert.deepEqual(Object.keys(planted).sort(), rules.map(({ id }) => id).sort())
  })
  const faults = Object.entries(planted).map(([id, plant]) => [id, 'its fault', plant] as const)
  for (const [id, title, plant] of [...faults, ...furtherPlanted]) {
    test(`${id} finds ${title}`, async () => {
      counts.clear()
      fault = plant
      const { code, stdout, stderr } = await conform(faulty, '--rule', id, '--json')
      assert.equal(stderr, '')
      const found = JSON.parse(stdout).rules.find((each: any) => each.rule === id)
      assert.deepEqual([code, found.result], [1, 'fail'], JSON.stringify(found))
      assert.doesNotMatch(found.seen, /^no judgement/)
    })
  }
})
