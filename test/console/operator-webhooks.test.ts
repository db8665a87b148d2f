import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import type { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { signedIn } from '../helpers/developer.ts'
import { assertNoInlineCode, wordsOf } from '../helpers/html.ts'
import { type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** What an operator sees of webhooks, and the switch that pauses those of an app. */

const allow = '127.0.0.1'
const script = '"><script>alert(1)</script>'
let server: TestServer
let operator: Browser
let receiver: Receiver
let client_id: string
let endpoints: ReturnType<typeof createWebhookEndpoints>
let id: string

before(async () => {
  server = await startServer({ config: { webhook_allow: allow } })
  receiver = await startReceiver()
  const { storage, clock } = server
  endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules(allow) })
  await server.newAccount('ops@example.com', 'operator')
  operator = await signedIn(server, 'ops@example.com')
  ;({ client_id } = await server.newApp({ name: `Ledger ${script}` }))
})
after(async () => {
  await server.close()
  await receiver.close()
})

const open = async (path: string): Promise<string> => {
  const page = await operator.open(path)
  assert.equal(page.status, 200, page.text)
  assertNoInlineCode(page.text)
  return wordsOf(page.text)
}
const confirm = async (word: string): Promise<string> => {
  const question = await operator.open(`/operator/apps/${client_id}/webhooks/${word}`)
  return wordsOf((await operator.submit(question, {})).text)
}
/** The page when it shows what the loop of the server has done. */
async function until(expected: RegExp): Promise<string> {
  let page = await open('/operator/webhooks')
  for (const end = Date.now() + 10_000; !expected.test(page); page = await open('/operator/webhooks'))
    assert.ok(Date.now() < end, page)
  return page
}

test('without trouble the page says so; an app without endpoints has no webhooks on its page', async () => {
  assert.match(await open('/operator/webhooks'), /Delivered 0 Pending 0 Failed 0 Oldest pending None/)
  assert.match(await open('/operator/webhooks'), /Every endpoint works/)
  assert.doesNotMatch(await open(`/operator/apps/${client_id}`), /Pause webhooks/)
})

test('an endpoint that fails is listed with its app, its host and why, and never with its query', async () => {
  receiver.answerStatus(500)
  const url = `${receiver.url}?key=hidden`
  ;({ id } = await endpoints.create({ app_id: client_id, url, events: [] }, byTest))
  await endpoints.test(id)
  const page = await until(/HTTP 500/)
  assert.match(page, /Delivered 0 Pending 1 Failed 0 Oldest pending None of endpoints that do not fail/)
  assert.match(page, new RegExp(`Ledger .*127\\.0\\.0\\.1:${receiver.port} ${id} Failing .* 1 HTTP 500`))
  const app = await open(`/operator/apps/${client_id}`)
  assert.match(app, new RegExp(`Webhooks .*127\\.0\\.0\\.1:${receiver.port} .*Failing.* Pause webhooks`))
  for (const text of [page, app]) assert.doesNotMatch(text, /hidden|whsec_/)
})

test('one that is disabled is listed with the reason and its last failure', async () => {
  receiver.answerStatus(410)
  await endpoints.test(id)
  const page = await until(/HTTP 410/)
  assert.match(page, /Disabled .*It answered 410 Gone, so it was disabled\. HTTP 410/)
  await endpoints.setDisabled(id, false, byTest)
  receiver.answerStatus(200)
  await until(/Every endpoint works/)
})

test('the operator pauses the webhooks of an app: nothing is sent until they are resumed', async () => {
  assert.match(await confirm('pause'), /Webhooks Paused .*Resume webhooks/)
  const before = receiver.received.length
  const event = await endpoints.test(id)
  assert.match(await open(`/operator/apps/${client_id}`), /paused the webhooks of the app Ledger/)
  assert.equal(receiver.received.length, before)
  assert.match(await confirm('resume'), /Pause webhooks/)
  await receiver.until(all => all.find(webhook => webhook.id === event))
})

test('a stopped database says so, and how to go on', async () => {
  await endpoints.stop(byTest)
  assert.match(await open('/operator/webhooks'), /Webhooks are stopped.* tillgate webhook resume/)
  await endpoints.resume(byTest)
  assert.doesNotMatch(await open('/operator/webhooks'), /Webhooks are stopped/)
})
