import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'oauth4webapi'
import type { TestServer } from './server.ts'

/** A third-party app on a site of its own, made with an OAuth client that somebody else wrote. */
export interface ExampleApp {
  site: string
  client_id: string
  close(): Promise<void>
}

const insecure = { [oauth.allowInsecureRequests]: true }

interface Connection {
  access_token: string
  stores: { id: number; name: string }[]
}

type Page = (url: URL) => Promise<string | { location: string }>

/** Its pages: `/` to begin, `/connect` and `/callback`, `/stores` with the merchant's token, `/orders` with its own. */
export async function startExampleApp(server: TestServer, name: string): Promise<ExampleApp> {
  const http = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => http.listen(0, 'localhost', resolve))
  // Another host than the server's, so that browsers take it for another site.
  const site = `http://localhost:${(http.address() as AddressInfo).port}`
  const redirect_uri = `${site}/callback`
  const { client_id, client_secret } = await server.newApp({
    name,
    redirect_uris: [redirect_uri],
    publisher: 'Example Software',
    website: null,
  })

  const issuer = new URL(server.base)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const as = await oauth.processDiscoveryResponse(issuer, discovered)
  const client: oauth.Client = { client_id }
  const authentication = oauth.ClientSecretBasic(client_secret)
  const verifiers = new Map<string, string>()
  let connection: Connection | null = null

  const read = async (path: string, token: string) => {
    const response = await fetch(server.base + path, { headers: { authorization: `Bearer ${token}` } })
    const { status, data } = (await response.json()) as { status: Refusal; data: unknown[] }
    if (response.status !== 200) throw new Error(`${response.status} ${status.errors?.code}`)
    return data
  }

  const pages: Record<string, Page> = {
    '/': async () => '<a href="/connect">Connect your stores</a>',

    '/connect': async () => {
      const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()]
      verifiers.set(state, verifier)
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri,
        scope: 'integration.store',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { location: `${as.authorization_endpoint}?${query}` }
    },

    '/callback': async url => {
      const state = url.searchParams.get('state') ?? ''
      const verifier = verifiers.get(state)
      // Checks state and iss, and throws what the authorization server reports.
      const parameters = oauth.validateAuthResponse(as, client, url, verifier ? state : oauth.expectNoState)
      verifiers.delete(state)
      const granted = await oauth.authorizationCodeGrantRequest(
        ...([as, client, authentication, parameters, redirect_uri, verifier ?? '', insecure] as const),
      )
      const { access_token } = await oauth.processAuthorizationCodeResponse(as, client, granted)
      const stores = (await read('/integration/v1/stores', access_token)) as Connection['stores']
      connection = { access_token, stores }
      return `<p>Connected: ${stores.map(store => store.name).join(', ')}</p>`
    },

    '/stores': async () => {
      const stores = await read('/integration/v1/stores', connection?.access_token ?? '')
      return `<p>Stores: ${(stores as Connection['stores']).map(store => store.name).join(', ')}</p>`
    },

    '/orders': async () => {
      const granted = await oauth.clientCredentialsGrantRequest(
        ...([as, client, authentication, { scope: 'integration.order' }, insecure] as const),
      )
      const { access_token } = await oauth.processClientCredentialsResponse(as, client, granted)
      const window = 'start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00'
      const found = (connection?.stores ?? []).map(async ({ id, name }) => {
        const orders = await read(`/integration/v1/orders?store_id=${id}&${window}`, access_token)
        return `${orders.length} orders of ${name}`
      })
      return `<p>${(await Promise.all(found)).join(', ')}</p>`
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', site)
    const page = pages[url.pathname]
    try {
      const body = page ? await page(url) : ''
      if (typeof body !== 'string') response.writeHead(302, body)
      else response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      response.end(typeof body === 'string' ? `<title>${name}</title><h1>${name}</h1>${body}` : '')
    } catch (error) {
      const told = error instanceof oauth.AuthorizationResponseError ? error.error : (error as Error).message
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(`<title>${name}</title><h1>${name}</h1><p>Refused: ${told}</p>`)
    }
  }

  return {
    site,
    client_id,
    async close() {
      http.closeAllConnections()
      await new Promise(resolve => http.close(resolve))
    },
  }
}

interface Refusal {
  errors: { code: string } | null
}
