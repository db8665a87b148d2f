import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '../../client/src/index.ts'
import { guideAddress, guides, guidesPath } from '../../src/http/ops/guides.ts'
import { examples } from '../../src/console/guides/guide-files.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { startWorld, type World } from '../helpers/world.ts'

/** The guides: their commands run as they stand there, and the server shows them with links that lead somewhere. */

const root = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const today = new Date().toISOString().slice(0, 10)
const redirect_uri = 'http://127.0.0.1:8080/callback'

let world: World
let env: Record<string, string>
before(async () => {
  world = await startWorld([1001])
  const { server } = world
  await server.newAccount('owner@example.com')
  await server.storage.switches.set('sign_up', true)
  const created_at = `${today} 00:00:00`
  await server.push(sampleOrder({ id: 'today', created_at, updated_at: '2026-11-01 00:00:00' }))
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirect_uri] })
  env = {
    PATH: process.env['PATH'] ?? '',
    TILLGATE_URL: server.base,
    TILLGATE_CLIENT_ID: client_id,
    TILLGATE_CLIENT_SECRET: client_secret,
  }
})
after(() => world.close())

function block(file: string, name: string): string {
  const found = new RegExp(`<!-- test: ${name} -->\\n\`\`\`sh\\n([^]*?)\`\`\``).exec(read(file))?.[1]
  assert.ok(found, `${file} has no block "${name}"`)
  return found
}
const run = async (script: string, more: Record<string, string> = {}): Promise<string> =>
  (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env: { ...env, ...more } })).stdout

test('getting started: consent, code, first orders, changes and an error, by the commands of the guides', async () => {
  const guide = 'docs/getting-started.md'
  const { server } = world
  const consentUrl = new URL((await run(block(guide, 'consent'))).trim())
  const browser = new Browser(server.base)
  const consent = await browser.reachConsent(consentUrl.pathname + consentUrl.search, 'owner@example.com')
  const answer = await browser.submit(consent, { decision: 'allow', store: ['1001'] })
  const back = new URL(answer.headers.get('location') ?? '')
  assert.deepEqual(
    [back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')],
    [redirect_uri, consentUrl.searchParams.get('state'), server.base],
  )
  const tokens = JSON.parse(await run(block(guide, 'code'), { CODE: back.searchParams.get('code') ?? '' }))
  assert.deepEqual([tokens.scope, typeof tokens.refresh_token], ['integration.store', 'string'])
  const script = block(guide, 'orders') + block(guide, 'changes')
  const shown = await run(script + block('docs/errors-and-retries.md', 'error'))
  const answers = [...shown.matchAll(/\{"status":\{"timestamp":\d+,"ack":(\d+)/g)].map(([, ack]) => ack)
  assert.deepEqual(answers, ['200', '200', '200', '422'])
  assert.match(shown, /"data":\[\{"id":"today"/)
  assert.match(shown, /"changes":\[\{"seq":/)
  assert.match(shown, /x-request-id: /i)
})

test('errors and retries: the client repeats a read as the table says', async () => {
  const table = read('docs/errors-and-retries.md').matchAll(/^\| ([^|]+) \| (yes|reads only|once|no) \|/gm)
  const rows = [...table].flatMap(([, answers = '', repeat]) =>
    [...answers.matchAll(/\b[45]\d\d\b/g)].map(([status]) => ({ status: Number(status), repeat })),
  )
  assert.ok(rows.length > 10)
  for (const { status, repeat } of rows) {
    for (const method of ['GET', 'POST'] as const) {
      let sent = 0
      const answer = (url: unknown) => {
        if (String(url).endsWith('/token')) return Response.json({ access_token: 't', expires_in: 172_800 })
        sent++
        return Response.json({ data: null }, { status })
      }
      const client = createClient({
        baseUrl: 'http://server.invalid',
        clientId: 'a',
        clientSecret: 'b',
        fetch: async url => answer(url),
        sleep: async () => {},
      })
      await assert.rejects(client.request({ method, path: '/x' }), { status })
      const repeated = { yes: 6, once: 2, no: 1, 'reads only': method === 'GET' ? 6 : 1 }[repeat ?? '']
      assert.equal(sent, repeated, `${method} ${status}`)
    }
  }
})

test('the server shows every guide and example, and each of their links leads somewhere', async () => {
  const { server } = world
  const pages = [guidesPath, ...guides.map(guideAddress)]
  const ids = new Map<string, Set<string>>()
  const links = new Map<string, Set<string>>()
  for (const path of pages) {
    const { status, text, headers } = await server.get(path)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'], path)
    assert.equal(text.match(/<h1/g)?.length, 1, path)
    assert.doesNotMatch(text, /<!--|pos\.example|href="[^":]*\.md/, path)
    ids.set(path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)))
    const main = text.slice(text.indexOf('<main'))
    links.set(path, new Set([...main.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href)))
  }
  const description: string = (await server.get('/openapi.json')).json.info.description
  links.set('/docs', new Set([...description.matchAll(/\]\(([^)]+)\)/g)].map(([, href = '']) => href)))
  assert.ok(links.get('/docs')?.has(server.base + guideAddress(guides[0] as never)))
  const known = new Map<string, number>()
  for (const [page, hrefs] of links) {
    for (const href of hrefs) {
      const url = new URL(href, server.base + page)
      if (url.origin !== server.base) continue
      const status = known.get(url.pathname) ?? (await server.get(url.pathname)).status
      known.set(url.pathname, status)
      assert.ok(status < 400, `${page} links to ${href}: ${status}`)
      if (url.hash) assert.ok(ids.get(url.pathname)?.has(url.hash.slice(1)), `${page}: ${href}`)
    }
  }
  for (const file of examples) {
    const { status, text } = await server.get(`/docs/${file}`)
    assert.deepEqual([status, text], [200, read(file)])
  }
  assert.equal((await server.get('/docs/guides/nothing')).status, 404)
})

test('the API reference has a beginning without script', async () => {
  const { text } = await world.server.get('/docs/')
  assert.match(text, /<noscript>[^]*href="\/docs\/guides"[^]*<\/noscript>/)
})

test('the files behind the guides exist, with all that they link to, and are part of the npm package', () => {
  const packed: string[] = JSON.parse(read('package.json')).files
  for (const { file } of guides) {
    assert.ok(packed.includes(file), `${file} is not in the package`)
    for (const [, path = ''] of read(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      assert.ok(existsSync(new URL(path, new URL(file, root))), `${file} links to ${path}`)
    }
  }
  assert.ok(examples.every(file => /^examples\/\w+\/changes\.\w+$/.test(file)))
})
