import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { parseExact } from '../../client/src/index.ts'
import { runClient } from '../helpers/client-command.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { startWorld, type World } from '../helpers/world.ts'

/** The command line of `tillgate-client`: its use, the progress bar, and the mirror as lines of JSON. */

const big = 9007199254740993n
const folder = mkdtempSync(join(tmpdir(), 'tillgate-client-'))
const path = (name: string) => join(folder, name)
let world: World
before(async () => {
  world = await startWorld([1001, big])
  const orders = Array.from({ length: 9 }, (_, i) => sampleOrder({ id: `O-${i}`, order_number: '\u2028 é' }))
  await world.push(...orders, sampleItem({ id: 1 }))
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args: string[]) => runClient(args, world.reader)

for (const [args, line] of [
  [[], /missing command: one of mirror, verify/],
  [['mirrow'], /unknown command mirrow/],
  [['mirror', '--url', 'http://x', '--colour'], /Unknown option '--colour'/],
  [['mirror', '--to', 'x'], /--url URL is missing/],
  [['mirror', '--url', 'http://x'], /--to FILE is missing/],
  [['mirror', '--url', 'ftp://x', '--to', path('x')], /--url is not an http\(s\) address/],
  [
    ['mirror', '--url', 'http://x', '--to', path('x'), '--count', '2001'],
    /--count was "2001".* from 1 to 2000/,
  ],
  [['mirror', '--url', 'http://x', '--to', path('x'), '--format', 'csv'], /--format was "csv"/],
  [['mirror', '--url', 'http://x', '--to', folder], /is a folder/],
] as const) {
  test(`"${args.join(' ').replace(folder, '')}" is one line and exit code 2`, async () => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, line)
    assert.match(stderr, /^tillgate-client: [^\n]*\n$/)
  })
}

test('help names every command and option', async () => {
  assert.match((await run('--help')).stdout, /mirror.*\n.*verify/)
  assert.match((await run('mirror', '--help')).stdout, /--follow/)
})

test('without credentials, with wrong ones, or with a file of something else, one line says so', async () => {
  const mirror = ['mirror', '--url', world.server.base, '--to', path('x.db')]
  const none = await runClient(mirror, { client_id: '', client_secret: '' })
  assert.deepEqual([none.code, /TILLGATE_CLIENT_ID and TILLGATE_CLIENT_SECRET/.test(none.stderr)], [2, true])
  const wrong = await runClient(mirror, { ...world.reader, client_secret: 'wrong' })
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /^tillgate-client: 401 .*\(request [^)]+\)\n$/)
  new DatabaseSync(path('other.db')).exec('create table precious (id)')
  const other = await run('mirror', '--url', world.server.base, '--to', path('other.db'))
  assert.match(other.stderr, /other.db is not a mirror: has tables of something else/)
  const folderless = await run('mirror', '--url', world.server.base, '--to', path('no/folder.db'))
  assert.match(folderless.stderr, /^tillgate-client: \S+folder.db cannot be opened: [^\n]+\n$/)
  const missing = await run('verify', '--url', world.server.base, '--to', path('missing.db'))
  assert.match(missing.stderr, /does not exist/)
  const unreachable = new AbortController()
  setImmediate(() => unreachable.abort(new Error('stopped')))
  const args = ['mirror', '--url', 'http://127.0.0.1:9', '--to', path('x.db')]
  assert.equal((await runClient(args, world.reader, unreachable)).code, 130)
})

/** An address whose requests are answered one by one, the last answer again and again; `seen` counts them. */
async function startAnswers(...answers: ((response: ServerResponse) => void)[]) {
  let seen = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(seen++, answers.length - 1)]
    request.resume().on('end', () => answer?.(response))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, seen: () => seen, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

test('the first failed connection is a line, and a redirect is the end', async () => {
  using answers = await startAnswers(
    response => response.destroy(),
    response => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
  )
  const args = ['mirror', '--url', answers.url, '--to', path('moved.db')]
  const first = await run(...args)
  const line = 'tillgate-client: POST /auth/v2/token: 302 redirects to https://elsewhere.example/\n'
  assert.equal(first.code, 1)
  assert.match(first.stderr, /^tillgate-client: \S+ does not answer \(POST .+\); trying again\n[^\n]+\n$/)
  assert.ok(first.stderr.endsWith(line), first.stderr)
  const following = await run(...args, '--follow')
  assert.deepEqual([following.code, following.stderr], [1, line])
  assert.equal(answers.seen(), 3)
})

test('--follow on a terminal waits for a server that is down at the start', async () => {
  const controller = new AbortController()
  using answers = await startAnswers(
    response => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not yet'),
    () => controller.abort(new Error('stopped')),
  )
  const args = ['mirror', '--url', answers.url, '--to', path('down.db'), '--follow']
  const { code, stderr } = await runClient(args, world.reader, { signal: controller.signal, terminal: true })
  assert.deepEqual([code, answers.seen()], [130, 2])
  assert.match(stderr, /POST \/auth\/v2\/token: 404 response_invalid; trying again in 1 s\n$/)
})

test('a terminal shows a progress bar, anything else does not', async () => {
  const args = ['mirror', '--url', world.server.base, '--to', path('bar.db'), '--count', '4']
  const shown = await runClient(args, world.reader, { terminal: true })
  assert.match(shown.stderr, /\[#{24}\] 100 % {2}2\/2 stores {2}10 entries/)
  assert.equal((await runClient(args, world.reader)).stderr, '')
  assert.equal(
    shown.stdout.replace(/\d+ requests/, 'N requests'),
    '2 stores, 9 orders, 1 items; N requests; complete\n',
  )
})

test('ndjson: whole pages with their position; a page that was cut off is read again', async () => {
  const file = path('copy.ndjson')
  const mirror = async () => {
    const args = [
      'mirror',
      '--url',
      world.server.base,
      '--to',
      file,
      '--format',
      'ndjson',
      '--count',
      '4',
      '--json',
    ]
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => parseExact(line) as any)
  assert.deepEqual(await mirror(), { stores: 2, orders: 9, items: 1, requests: 6, complete: true })
  const first = lines()
  assert.equal(first.filter(({ kind }) => kind === 'order').length, 9)
  assert.ok(first.some(({ kind, store_id }) => kind === 'store' && store_id === big))
  // Killed in the middle of the second page of store 1001: after a whole line, and within one.
  const text = readFileSync(file, 'utf8').split('\n')
  const cut = text.findIndex(line => line.includes('"O-6"'))
  writeFileSync(file, `${text.slice(0, cut).join('\n')}\n`)
  appendFileSync(file, String(text[cut]).slice(0, 300))
  assert.equal((await mirror()).orders, 9)
  const entries = lines().filter(({ kind }) => kind === 'order' || kind === 'item')
  assert.deepEqual(
    entries,
    first.filter(({ kind }) => kind === 'order' || kind === 'item'),
  )
  // A new feed voids what is above.
  await world.server.storage.changes.renewHistory()
  assert.deepEqual((({ orders, items }) => ({ orders, items }))(await mirror()), { orders: 9, items: 1 })
  const all = lines()
  const voided = all.findLastIndex(
    ({ kind, store_id, walk, next }) => kind === 'position' && store_id === 1001 && walk === 1 && next === 0,
  )
  assert.equal(all.slice(voided).filter(({ kind }) => kind === 'order').length, 9)
})

test('ndjson: a file of something else is refused and stays as it is', async () => {
  const file = path('foreign.ndjson')
  const contents = [
    'something else\n',
    'no line end',
    '{',
    JSON.stringify({ kind: 'order', store_id: 1, id: 'O-1' }),
    `${JSON.stringify({ kind: 'order', store_id: 1, id: 'O-1' })}\n`,
    `${JSON.stringify({ kind: 'store', id: 1, name: 'A record' })}\n`,
    `{"kind":"store","store_id":1,"data":{}}\n{"kind":"order","id":1}\n`,
  ]
  for (const text of contents) {
    writeFileSync(file, text)
    const result = await run('mirror', '--url', world.server.base, '--to', file, '--format', 'ndjson')
    assert.deepEqual([result.code, /is not a mirror in NDJSON/.test(result.stderr)], [1, true], text)
    assert.equal(readFileSync(file, 'utf8'), text)
  }
  // The first write of a copy, cut off.
  writeFileSync(file, '{"kind":"store","store_id":100')
  assert.equal((await run('mirror', '--url', world.server.base, '--to', file, '--format', 'ndjson')).code, 0)
})
