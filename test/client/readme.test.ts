import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { signWebhook } from '../../client/src/index.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { freePort } from '../helpers/ports.ts'
import { at, startWorld, type World } from '../helpers/world.ts'

/** client/README.md: its programs, commands and questions, as they stand there. */

const root = join(import.meta.dirname, '../..')
const bin = join(root, 'client/bin/tillgate-client.js')
const readme = readFileSync(join(root, 'client/README.md'), 'utf8')
const blocks = (name: string): string[] => {
  const all = [...readme.matchAll(/<!-- test: (\S+) -->\n```\w+\n([^]*?)```/g)]
  const found = all.filter(each => each[1] === name).map(([, , code = '']) => code)
  assert.notEqual(found.length, 0, `the tutorial has no block "${name}"`)
  return found
}

const folder = mkdtempSync(join(tmpdir(), 'tillgate-tutorial-'))
const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
let world: World
let env: Record<string, string>
const children: ChildProcess[] = []
before(async () => {
  world = await startWorld([1001])
  const orders = Array.from({ length: 5 }, (_, i) =>
    sampleOrder({ id: `O-${i}`, created_at: at(i * 40_000) }),
  )
  await world.push(...orders, sampleItem())
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TILLGATE_URL: world.server.base,
    TILLGATE_CLIENT_ID: world.reader.client_id,
    TILLGATE_CLIENT_SECRET: world.reader.client_secret,
    STORE_ID: '1001',
    WEBHOOK_SECRET: secret,
  }
})
after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A program of the tutorial, with the source in place of the installed package. */
function start(name: string, change = (code: string) => code): ChildProcess {
  const source = JSON.stringify(join(root, 'client/src/index.ts'))
  const [code = ''] = blocks(name)
  writeFileSync(join(folder, name), change(code.replace("'tillgate-client'", source)))
  const child = spawn(process.execPath, [name], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return child
}
const output = async (child: ChildProcess): Promise<string> =>
  String((await once(child.stdout as never, 'data'))[0])

test('1: the first orders', async () => {
  assert.equal(await output(start('first.mjs')), 'Harbour Street: 5 orders, 22.5\n')
})

test('2: the loop goes on where it was killed, and begins again with a new feed', async () => {
  const child = start('follow.mjs')
  assert.equal(await output(child), '5 orders\n')
  // JSON.stringify would refuse this id, and JSON.parse change it.
  const large = JSON.stringify(sampleOrder({ id: 'next' })).replace(
    '"menu_id":12',
    '"menu_id":9007199254740993',
  )
  await world.push(large)
  assert.equal(await output(child), '6 orders\n')
  assert.match(readFileSync(join(folder, 'copy.json'), 'utf8'), /"menu_id":9007199254740993,/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await world.server.storage.changes.renewHistory()
  await world.push(sampleOrder({ id: 'after' }))
  assert.equal(await output(start('follow.mjs')), '7 orders\n')
})

test('3: the copy is complete, and the five questions have answers', async () => {
  const [commands = '', conform = ''] = blocks('sh')
  const run = async (script: string) =>
    (
      await promisify(execFile)(
        'sh',
        ['-ec', script.replaceAll('npx tillgate-client', `${process.execPath} ${bin}`)],
        { cwd: folder, env },
      )
    ).stdout
  assert.match(await run(commands), /; complete\ncomplete: 1 stores, 7 orders, 1 items\n$/)
  const db = new DatabaseSync(join(folder, 'shop.db'), { readOnly: true })
  const answers = blocks('sql').map(sql =>
    db
      .prepare(sql)
      .all()
      .map(row => ({ ...row })),
  )
  db.close()
  assert.equal(answers.length, 5)
  const [days, best, payments, taxes, hours] = answers
  assert.deepEqual(days?.at(-1), {
    store: 'Harbour Street',
    day: '2026-11-01',
    orders: 5,
    subtotal: 22.5,
    tips: 0,
  })
  assert.deepEqual(best, [{ name: 'Flat white', quantity: 7, net: 28.64 }])
  assert.deepEqual(payments, [{ name: 'Card', payments: 7, amount: 31.5 }])
  assert.deepEqual(taxes, [{ month: '2026-11', name: 'GST', tax: 2.86 }])
  assert.deepEqual(hours?.[0], { hour: '00', orders: 1, average: 4.5 })
  assert.match(await run(conform), /\n\d+ passed, 0 failed, \d+ skipped; \d+ requests\n$/)
  assert.match(readFileSync(join(folder, 'report.xml'), 'utf8'), /<testsuite /)
})

test('4: a webhook is checked', async () => {
  const port = await freePort()
  const child = start(
    'webhooks.mjs',
    code => `${code.replace('8080', String(port))}\nserver.on('listening', () => console.log('ready'))`,
  )
  assert.equal(await output(child), 'ready\n')
  const body =
    '{"type":"store.changed","timestamp":"2026-11-01T00:00:00Z","data":{"store_id":9007199254740993,"seq":1,"feed":"f"}}'
  const headers = await signWebhook({ secret, id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body })
  const post = async (text: string) =>
    (await fetch(`http://localhost:${port}`, { method: 'POST', headers, body: text })).status
  assert.equal(await post(`${body} `), 400)
  const line = output(child)
  assert.equal(await post(body), 204)
  assert.equal(await line, 'store 9007199254740993 has changed: read its changes\n')
})

test('the page links to no file that the package lacks', () => {
  assert.deepEqual([...readme.matchAll(/\]\(\.[^)]*\)/g)].flat(), [])
})

test('what the page says of calls, commands and sizes is so', () => {
  const kilobytes = Number(/(\d+) KB minified/.exec(readme)?.[1])
  assert.ok(kilobytes < 20)
  for (const command of ['mirror', 'verify', 'conform', 'listen']) {
    assert.match(readme, new RegExp(`tillgate-client ${command} `))
  }
})
