import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, type Client, redeem, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** Two decisions on one request, on two nodes: the first counts, and the app learns what the database holds. */

/** For hundreds: TILLGATE_TEST_ROUNDS=400. */
const rounds = Number(process.env['TILLGATE_TEST_ROUNDS'] ?? 8)

let nodes: [TestServer, TestServer]
let browser: Browser

before(async () => {
  const database = await emptyDatabase({ shared: true })
  const first = await startServer({ database })
  nodes = [first, await startServer({ database, issuer: first.base, clock: first.clock })]
  await first.newAccount('owner@example.com')
  const store = { kind: 'store', name: 'Harbour Street', timezone: 'UTC', merchant: 'owner@example.com' }
  await first.push({ ...store, id: 1001 }, { ...store, id: 1002 })
  browser = new Browser(first.base)
  await browser.signIn('owner@example.com')
})

after(async () => {
  for (const node of nodes) await node.close()
})

type Choice = 'deny' | '1001' | '1002'

/** A consent page that is open in two tabs. Each sends its form to a node of its own. */
async function openTabs() {
  const [node] = nodes
  const client = await node.newApp({ redirect_uris: [redirectUri] })
  const page = await browser.reachConsent(authorizePath(client, { state: 's' }), 'owner@example.com')
  const path = /action="(\/consent\/[^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text)
  const csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  const tabs = nodes.map(({ base }) => {
    const tab = new Browser(node.base)
    tab.cookies.push(...browser.cookies)
    const send = (choice: Choice): Promise<Answer> => {
      const fields = choice === 'deny' ? { decision: 'deny' } : { decision: 'allow', store: choice }
      return tab.open(base + path, { method: 'POST', body: new URLSearchParams({ _csrf: csrf, ...fields }) })
    }
    return { send, follow: (answer: Answer) => tab.follow(answer) }
  })
  return { client, tabs: tabs as [(typeof tabs)[0], (typeof tabs)[0]] }
}

/** The one answer that the app got, and what the database holds: both must be the same decision. */
async function decided(client: Client, answers: Answer[]): Promise<Choice> {
  const [node] = nodes
  const told = answers.filter(({ headers }) => headers.get('location')?.startsWith(redirectUri))
  assert.equal(told.length, 1, `${told.length} answers to the app`)
  for (const { status, text } of answers.filter(answer => !told.includes(answer))) {
    assert.equal(status, 400)
    assert.match(text, /You have already answered|This request is no longer open/)
  }
  const { searchParams } = new URL(told[0]?.headers.get('location') ?? '')
  assert.equal(searchParams.get('state'), 's')
  const { json } = await node.get('/integration/v1/stores', await node.token(client))
  const stores: Choice[] = json.data.map(({ id }: { id: number }) => String(id))
  const { lines } = await node.storage.audit.list({ limit: 10, scan_limit: 1000, app_id: client.client_id })
  const actions = lines.map(({ action }) => action).filter(action => /access_(allowed|denied)/.test(action))
  if (searchParams.get('error') === 'access_denied') {
    assert.deepEqual([stores, actions], [[], ['access_denied']])
    return 'deny'
  }
  assert.equal((await redeem(node, client, searchParams.get('code'))).status, 200)
  assert.deepEqual([stores.length, actions], [1, ['access_allowed']])
  return stores[0] as Choice
}

const pairs: [Choice, Choice][] = [
  ['deny', '1001'],
  ['1001', 'deny'],
  ['1001', '1002'],
  ['deny', 'deny'],
]

for (const [first, second] of pairs) {
  describe(`${first}, then ${second}`, () => {
    test('the second one follows the first to the app', async () => {
      const { client, tabs } = await openTabs()
      const answers = [await tabs[0].send(first), await tabs[1].send(second)]
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('location')?.replace(/[\w-]+$/, '')]),
        [0, 1].map(() => [303, `${nodes[0].base}/auth/v2/authorize/`]),
      )
      const followed = await Promise.all(answers.map((answer, i) => tabs[i]?.follow(answer)))
      assert.equal(await decided(client, followed as Answer[]), first)
    })

    test('the second one, when the app has its answer, gets a page that says what was decided', async () => {
      const { client, tabs } = await openTabs()
      const followed = await tabs[0].follow(await tabs[0].send(first))
      const late = await tabs[1].follow(await tabs[1].send(second))
      assert.match(late.text, first === 'deny' ? /You denied Ledger/ : /You allowed Ledger/)
      assert.equal(await decided(client, [followed, late]), first)
    })

    test(`at the same time, ${rounds} times: one of them counts, whole`, async t => {
      const won: Choice[] = []
      for (let round = 0; round < rounds; round++) {
        const { client, tabs } = await openTabs()
        const answers = await Promise.all([first, second].map((choice, i) => tabs[i]?.send(choice)))
        const followed = await Promise.all(answers.map((answer, i) => tabs[i]?.follow(answer as Answer)))
        won.push(await decided(client, followed as Answer[]))
      }
      t.diagnostic(`${first} ${won.filter(choice => choice === first).length} of ${rounds}`)
    })
  })
}

test('the way back of a request without a decision gives the app no answer and leaves the request open', async () => {
  const { client, tabs } = await openTabs()
  const path = browser.cookies.findLast(({ name }) => name === 'tillgate_resume')?.path ?? ''
  const [early, answer] = await Promise.all([browser.open(path), tabs[0].send('1001')])
  const followed = await tabs[0].follow(answer)
  assert.equal(
    await decided(
      client,
      [early, followed].toSorted((a, b) => b.status - a.status),
    ),
    '1001',
  )
})
