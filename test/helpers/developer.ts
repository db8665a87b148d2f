import assert from 'node:assert/strict'
import type { Answer } from './answers.ts'
import { Browser } from './browser.ts'
import type { TestServer } from './server.ts'

/** What tests of the developer pages have in common. */

export const appsPath = '/developer/apps'

export const csrfOf = ({ text }: Pick<Answer, 'text'>): string =>
  /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

export async function signedIn(server: TestServer, email: string): Promise<Browser> {
  const browser = new Browser(server.base)
  await browser.signIn(email)
  return browser
}

export interface OwnApp {
  client_id: string
  client_secret: string
  path: string
}

/** Creates an app by the form, as a developer does. */
export async function createApp(
  browser: Browser,
  fields: Record<string, string | string[]> = {},
): Promise<OwnApp> {
  const page = await browser.submit(await browser.open(`${appsPath}/new`), {
    name: 'Ledger',
    redirect_uris: 'https://app.example.com/cb',
    scope: ['integration.store', 'integration.order', 'integration.inventory'],
    ...fields,
  })
  assert.equal(page.status, 201, page.text)
  const named = (what: string): string =>
    new RegExp(`<dt>${what}</dt>\\s*<dd><code[^>]*>([^<]+)`).exec(page.text)?.[1] ?? ''
  const client_id = named('client_id')
  return { client_id, client_secret: named('client_secret'), path: `${appsPath}/${client_id}` }
}
