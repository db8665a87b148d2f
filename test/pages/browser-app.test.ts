import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { sampleStore } from '../helpers/orders.ts'
import { signIn, visit } from '../helpers/pages.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** An app without a server of its own: tillgate-client in a page, by consent, PKCE and CORS. */

let server: TestServer
let site: Server
let stranger: Server
const merchant = 'owner@example.com'

const page = '<!doctype html><html lang="en"><title>App</title><p>App</p>'

/** A site of one page, with the client library as a module. */
async function startSite(library: string): Promise<Server> {
  const site = createServer((request, response) => {
    const isLibrary = request.url === '/tillgate-client.js'
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html')
    response.end(isLibrary ? library : page)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  return site
}

const addressOf = (site: Server): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}`

before(async () => {
  server = await startServer()
  await server.newAccount(merchant)
  await server.push(sampleStore())
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../client/src/index.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  const library = outputFiles[0]?.text ?? ''
  site = await startSite(library)
  stranger = await startSite(library)
})

after(async () => {
  site.close()
  stranger.close()
  await server.close()
})

/** Script for the page; `client` is the library's. */
const withClient = (client_id: string, script: string): string => `(async () => {
  const { createClient } = await import('/tillgate-client.js')
  const client = createClient({ baseUrl: '${server.base}', clientId: '${client_id}' })
  ${script}
})()`

test('a page of a public app gets its tokens and reads stores; a page elsewhere cannot use them', async () => {
  const redirect_uri = `${addressOf(site)}/cb`
  const { client_id } = await server.newApp({
    redirect_uris: [redirect_uri],
    public: true,
    scope: 'integration.store',
  })
  const read = async (page: Page, token: string) =>
    page.evaluate(
      `fetch('${server.base}/integration/v1/stores', { headers: { authorization: 'Bearer ${token}' } })
        .then(async answer => ({ status: answer.status, id: answer.headers.get('x-request-id') }), String)`,
    )
  await visit(
    { size: 'desktop', scheme: 'light' },
    async ({ page }) => {
      await page.goto(addressOf(site))
      const url = await page.evaluate<string>(
        withClient(
          client_id,
          `const pending = await client.authorizationUrl({ redirectUri: '${redirect_uri}' })
           sessionStorage.setItem('pending', JSON.stringify(pending))
           return pending.url`,
        ),
      )
      await page.goto(url)
      await signIn(page, server.base, merchant)
      await page.getByRole('checkbox', { name: sampleStore().name, exact: true }).check()
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.waitForURL(`${redirect_uri}**`)
      const { names, token } = await page.evaluate<{ names: string[]; token: string }>(
        withClient(
          client_id,
          `const pending = JSON.parse(sessionStorage.getItem('pending'))
           const { accessToken } = await client.completeAuthorization(location.href, pending)
           const names = []
           for await (const store of client.stores()) names.push(store.name)
           return { names, token: accessToken }`,
        ),
      )
      assert.deepEqual(names, [sampleStore().name])
      const answer = (await read(page, token)) as { status: number; id: string }
      assert.equal(answer.status, 200)
      assert.ok(answer.id, 'script can read the request id')
      await page.goto(addressOf(stranger))
      assert.equal(await read(page, token), 'TypeError: Failed to fetch')
    },
    { expected: /blocked by CORS policy|ERR_FAILED/ },
  )
})
