import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Browser } from './browser.ts'
import type { Answer, TestServer } from './server.ts'

/** The authorization code grant by hand: every parameter can be left out, changed or sent twice. */

export const redirectUri = 'https://app.example.com/cb'
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const challenge = createHash('sha256').update(verifier).digest('base64url')

export interface Client {
  client_id: string
  client_secret: string
}

/** One server, or several behind one address. */
export type Reachable = Pick<TestServer, 'base' | 'post'>

export type Fields = Record<string, string | undefined>

/** Fields that are undefined are left out. */
export const form = (fields: Fields): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  )

export const authorizePath = (client: Pick<Client, 'client_id'>, changes: Fields = {}): string =>
  `/auth/v2/authorize?${form({
    response_type: 'code',
    client_id: client.client_id,
    scope: 'integration.store',
    redirect_uri: redirectUri,
    ...changes,
  })}`

/** Where the authorize endpoint sends a request that it refuses. */
export async function refusedAt(server: Reachable, path: string): Promise<URL> {
  const answer = await new Browser(server.base).open(path)
  assert.ok([302, 303].includes(answer.status), `${answer.status} ${answer.text}`)
  return new URL(answer.headers.get('location') ?? '', server.base)
}

export interface Consent {
  email?: string
  stores?: string[]
  changes?: Fields
  decision?: 'allow' | 'deny'
}

/** Signs in, decides, and answers the address that the browser is sent back to. */
export async function decide(
  server: Reachable,
  client: Pick<Client, 'client_id'>,
  options: Consent = {},
): Promise<URL> {
  const { email = 'owner@example.com', stores = ['1001'], changes = {}, decision = 'allow' } = options
  const browser = new Browser(server.base)
  const consent = await browser.reachConsent(authorizePath(client, changes), email)
  const answer = await browser.submit(consent, { decision, store: stores })
  const location = answer.headers.get('location')
  assert.ok(location, `${answer.status} ${answer.text}`)
  return new URL(location)
}

/** The code that the app gets when the merchant allows it. */
export const codeOf = async (
  server: Reachable,
  client: Pick<Client, 'client_id'>,
  options: Consent = {},
): Promise<string> =>
  (await decide(server, client, options)).searchParams.get('code') ?? assert.fail('no code')

/** Redeems a code; changes are form fields to add, change or leave out. */
export const redeem = (
  server: Reachable,
  client: Client,
  code: string | null,
  changes: Fields = {},
): Promise<Answer> =>
  server.post(
    '/auth/v2/token',
    form({
      grant_type: 'authorization_code',
      ...client,
      code: code ?? undefined,
      redirect_uri: redirectUri,
      ...changes,
    }),
  )

export const refresh = (
  server: Reachable,
  client: Client,
  refresh_token: string,
  changes: Fields = {},
): Promise<Answer> =>
  server.post('/auth/v2/token', form({ grant_type: 'refresh_token', ...client, refresh_token, ...changes }))

export interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
  token_type: string
  expires_in: number
}

/** The whole grant with nothing unusual. */
export async function grant(server: Reachable, client: Client, options: Consent = {}): Promise<Tokens> {
  const code = await codeOf(server, client, options)
  const { redirect_uri } = options.changes ?? {}
  const answer = await redeem(server, client, code, redirect_uri ? { redirect_uri } : {})
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}
