import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { authorizePath, type Client, grant, redirectUri } from '../helpers/authorize.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { sharedBrowser, signIn } from '../helpers/pages.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { filled, matrix, type Role } from '../attacks/matrix.ts'
import { nobodys } from '../attacks/tenants.ts'

/** Script in everything that others can name, and in every address, in a real browser: nothing of it runs. */

const scripts = [
  `<script>globalThis.ran=1</script>`,
  `"><img src=x onerror="globalThis.ran=1">`,
  `'><svg onload='globalThis.ran=1'>`,
  `</title></textarea><script>globalThis.ran=1</script>`,
  `javascript:globalThis.ran=1`,
  '${globalThis.ran=1}{{globalThis.ran=1}}',
]
const all = scripts.slice(0, 3).join('')

let server: TestServer
let ids: typeof nobodys
let client: Client

before(async () => {
  server = await startServer()
  const merchant = await server.newAccount('owner@example.com')
  const developer = await server.newAccount('dev@example.com', 'developer')
  await server.newAccount('ops@example.com', 'operator')
  await server.push(
    ...scripts.map((name, i) => sampleStore({ id: 1001 + i, name, merchant: 'owner@example.com' })),
    sampleItem({ store_id: 1001, name: all, category_name: all }),
    sampleOrder({
      id: all.slice(0, 60),
      order_number: all,
      device_name: all,
      carts: [sampleCart({ name: all })],
    }),
  )
  const made = await server.newApp({
    name: scripts[1] as string,
    publisher: scripts[0] as string,
    website: 'https://example.com/?"><script>globalThis.ran=1</script>',
    redirect_uris: [redirectUri],
    owner_id: developer.id,
  })
  client = { client_id: made.client_id, client_secret: made.client_secret }
  await grant(server, client, { stores: ['1001', '1002'] })
  const token = await server.token(client)
  const refused = await server.get(
    `/integration/v1/orders?store_id=1001&start_date=${encodeURIComponent(all)}`,
    token,
  )
  await server.get('/integration/v1/inventory/items?store_id=1001', token)
  const [secret] = await server.storage.apps.secrets(client.client_id)
  ids = {
    ...nobodys,
    app_id: client.client_id,
    store_id: '1001',
    account_id: merchant.id,
    secret_id: secret?.id ?? '',
    request_id: refused.headers.get('x-request-id') ?? '',
  }
})

after(() => server.close())

/** Of the page, or of a document that the browser only parses. */
const scriptIn = `content => {
  const found = content === null ? document : new DOMParser().parseFromString(content, 'text/html')
  return {
    ran: globalThis.ran ?? null,
    markup: [...found.querySelectorAll('[onload], [onerror], img[src="x"], svg[onload], script:not([src], [type="application/json"])')].map(e => e.outerHTML),
    links: [...found.querySelectorAll('a[href], form[action]')].map(e => e.href ?? e.action).filter(a => /^(javascript|data|vbscript):/i.test(a)),
  }
}`

type Look = (document?: { content: string; address: string }) => Promise<void>

/** Opens pages one after the other, and fails when any text became script or markup. */
async function walk(email: string | null, go: (page: Page, look: Look) => Promise<void>) {
  const context = await (await sharedBrowser()).newContext()
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('dialog', dialog => void dialog.dismiss().then(() => complaints.push('a dialog')))
  page.on('pageerror', error => complaints.push(String(error)))
  // What the policy had to stop was markup already.
  page.on(
    'console',
    message => /Content Security Policy/i.test(message.text()) && complaints.push(message.text()),
  )
  const look: Look = async document => {
    const { content = null, address = page.url() } = document ?? {}
    const found = await page.evaluate(`(${scriptIn})(${JSON.stringify(content)})`)
    assert.deepEqual(found, { ran: null, markup: [], links: [] }, address)
    assert.deepEqual(complaints, [], page.url())
  }
  try {
    if (email !== null) {
      await signIn(page, server.base, email)
      await page.waitForURL(url => url.pathname !== '/login')
    }
    await go(page, look)
  } finally {
    await context.close()
  }
}

async function answerOf(page: Page, address: string): Promise<{ content: string; address: string }> {
  const answer = await page.context().request.get(server.base + address)
  return { content: await answer.text(), address }
}

/** Every field that a page might read, each with script in it. */
const fields = [
  'q',
  'search',
  'next',
  'page',
  'before',
  'after',
  'app',
  'store',
  'action',
  'period',
  'endpoint',
  'done',
  'error',
  'request_id',
  'from',
  'to',
  'email',
  'zone',
]
const hostileQuery = new URLSearchParams(
  fields.map((name, i): [string, string] => [name, scripts[i % scripts.length] as string]),
)

const people: [role: Role, email: string][] = [
  ['merchant', 'owner@example.com'],
  ['developer', 'dev@example.com'],
  ['operator', 'ops@example.com'],
]

describe('names that others chose and addresses that others wrote are text', () => {
  for (const [role, email] of people) {
    test(`on every page of the ${role}`, () =>
      walk(email, async (page, look) => {
        const own = Object.entries(matrix).filter(
          ([endpoint, audience]) => audience === role && endpoint.startsWith('GET '),
        )
        assert.ok(own.length > 0)
        for (const [endpoint] of own) {
          const path = filled(endpoint.slice(4), ids)
          if (path.endsWith('/export')) continue
          const hostile = `${path}?${hostileQuery}`
          // The API reference takes seconds and is the same for every app: test/pages opens it.
          if (path.endsWith('/try')) {
            await look(await answerOf(page, path))
          } else {
            await page.goto(server.base + path)
            await look()
          }
          // The pages’ own script does not read the address, so of this page the markup is enough.
          await look(await answerOf(page, hostile))
        }
      }))
  }

  test('on the consent page', () =>
    walk('owner@example.com', async (page, look) => {
      await page.goto(server.base + authorizePath(client, { state: all }))
      await page.getByRole('button', { name: 'Allow' }).waitFor()
      await look()
    }))

  test('on the pages for everybody, and for errors', () =>
    walk(null, async (page, look) => {
      const wrong = new URLSearchParams({
        client_id: all,
        redirect_uri: all,
        scope: all,
        response_type: all,
        state: all,
      })
      for (const address of [
        `/login?${hostileQuery}`,
        `/signup?${hostileQuery}`,
        `/${encodeURIComponent(all)}`,
        `/consent/${encodeURIComponent(all.slice(0, 60))}`,
        `/auth/v2/authorize?${wrong}`,
        `/auth/v2/authorize/${encodeURIComponent(scripts[0] as string)}?${wrong}`,
        authorizePath(client, { redirect_uri: `javascript://app.example.com/%0aglobalThis.ran=1` }),
      ]) {
        await page.goto(server.base + address)
        await look()
      }
    }))

  test('and the checks would find it', () =>
    walk(null, async (page, look) => {
      await page.goto(`${server.base}/login`)
      for (const content of scripts.slice(0, 4)) await assert.rejects(look({ content, address: 'markup' }))
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(all)})`)
      await assert.rejects(look())
    }))

  test('and the script of the pages reads no address', () => {
    const script = readFileSync(join(import.meta.dirname, '../../src/console/assets/console.js'), 'utf8')
    assert.doesNotMatch(script, /location|URL|referrer|baseURI/)
  })
})

test('clickjacking: a foreign page cannot show ours in a frame', () =>
  walk(null, async page => {
    for (const path of ['/login', '/docs/', '/account/apps']) {
      await page.setContent(`<iframe src="${server.base}${path}"></iframe>`)
      const frame = page.frames()[1]
      await frame?.waitForLoadState().catch(() => {})
      const shown = await frame?.evaluate('document.body?.innerText ?? ""').catch(() => '')
      assert.doesNotMatch(String(shown), /Tillgate|Sign in/, path)
    }
  }))
