import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from '../helpers/browser.ts'
import { createApp, csrfOf, type OwnApp, signedIn } from '../helpers/developer.ts'
import { assertNoInlineCode, wordsOf } from '../helpers/html.ts'
import { startReceiver, isSigned, type Receiver } from '../helpers/receiver.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

let server: TestServer
let developer: Browser
let app: OwnApp
let receiver: Receiver
let path: string
let secret: string

const events = ['store.changed', 'authorization.granted']

before(async () => {
  server = await startServer({ config: { webhook_allow: '127.0.0.1' } })
  receiver = await startReceiver()
  for (const name of ['dev', 'other']) await server.newAccount(`${name}@example.com`, 'developer')
  developer = await signedIn(server, 'dev@example.com')
  app = await createApp(developer)
})
after(async () => {
  await server.close()
  await receiver.close()
})

const open = async (to = path) => {
  const page = await developer.open(to)
  assert.equal(page.status, 200, page.text)
  assertNoInlineCode(page.text)
  return page
}
const press = async (word: string) =>
  developer.open(`${path}/${word}`, {
    method: 'POST',
    body: new URLSearchParams({ _csrf: csrfOf(await open()) }),
  })

test('the form says which addresses are allowed', async () => {
  const hint = /leads to a public address\.( The operator allows some other addresses too, also with http:)?/
  assert.ok(hint.exec(wordsOf((await open(`${app.path}/webhooks`)).text))?.[1])
  const strict = await startServer()
  try {
    await strict.newAccount('dev@example.com', 'developer')
    const other = await signedIn(strict, 'dev@example.com')
    const { path: of } = await createApp(other)
    assert.equal(hint.exec(wordsOf((await other.open(`${of}/webhooks`)).text))?.[1], undefined)
  } finally {
    await strict.close()
  }
})

test('the form refuses an address that is not allowed and no events, and keeps what was typed', async () => {
  const page = await open(`${app.path}/webhooks`)
  const refused = await developer.submit(page, { url: 'https://10.0.0.1/x', events })
  assert.equal(refused.status, 422)
  assert.match(wordsOf(refused.text), /must be at a public address/)
  assert.match(refused.text, /value="https:\/\/10\.0\.0\.1\/x"/)
  const none = await developer.submit(await open(`${app.path}/webhooks`), { url: receiver.url, events: [] })
  assert.equal(none.status, 422)
})

test('an endpoint is added; its secret is shown once', async () => {
  const made = await developer.submit(await open(`${app.path}/webhooks`), { url: receiver.url, events })
  assert.equal(made.status, 201, made.text)
  secret = /whsec_[A-Za-z0-9+/=]+/.exec(made.text)?.[0] ?? ''
  path = /href="([^"]+\/webhooks\/we_\w+)"/.exec(made.text)?.[1] ?? ''
  const list = await open(`${app.path}/webhooks`)
  assert.match(wordsOf(list.text), /Not called yet/)
  assert.match(wordsOf((await open()).text), /Not called yet/)
  assert.ok(list.text.includes(path))
  for (const page of [list, await open()])
    assert.ok(!page.text.includes('whsec_') || !page.text.includes(secret))
})

test('a test event: the page shows the request, the answer, escaped and cut, and the attempts', async () => {
  receiver.answer((_request, response) => void response.writeHead(500).end(`<script>${'x'.repeat(5000)}`))
  assert.equal((await press('test')).status, 303)
  const webhook = await receiver.until(all => all[0])
  assert.ok(isSigned(webhook, secret))
  let page = await open()
  for (const end = Date.now() + 10_000; !page.text.includes('HTTP 500'); page = await open())
    assert.ok(Date.now() < end, page.text)
  assert.match(wordsOf(page.text), /It has failed once/)
  const delivery = await open(`${path}/deliveries/${webhook.id}`)
  assert.match(delivery.text, /&(lt|#60);script/)
  assert.ok(!delivery.text.includes('<script>x'))
  assert.ok(!delivery.text.includes('x'.repeat(1001)))
  assert.match(wordsOf(delivery.text), /webhook\.test/)
  receiver.answerStatus(200)
  const sent = await developer.submit(delivery, {})
  assert.match(wordsOf(sent.text), /The delivery is sent again/)
  const again = await receiver.until(all => all[1])
  assert.equal(again.id, webhook.id)
  const list = `${app.path}/webhooks`
  for (const end = Date.now() + 10_000; !/Working/.test(wordsOf((await open(list)).text)); )
    assert.ok(Date.now() < end)
})

test('rotate, disable, enable, delete', async () => {
  const rotated = await press('rotate')
  assert.equal(rotated.status, 200)
  assert.match(rotated.text, /whsec_/)
  assert.ok(!rotated.text.includes(secret))
  await press('disable')
  assert.match(wordsOf((await open()).text), /It was disabled manually/)
  assert.equal((await press('test')).status, 409)
  await press('enable')
  assert.match(wordsOf((await open()).text), /Working/)
  const gone = await developer.submit(await open(`${path}/delete`), {})
  assert.match(wordsOf(gone.text), /The endpoint is deleted/)
  assert.equal((await developer.open(path)).status, 404)
})

test('the endpoint of another developer’s app does not exist', async () => {
  const made = await developer.submit(await open(`${app.path}/webhooks`), { url: receiver.url, events })
  const own = /href="([^"]+\/webhooks\/we_\w+)"/.exec(made.text)?.[1] ?? ''
  const other = await signedIn(server, 'other@example.com')
  const theirs = await createApp(other)
  const id = own.split('/').at(-1)
  for (const address of [own, `${theirs.path}/webhooks/${id}`])
    assert.equal((await other.open(address)).status, 404)
})
