import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClientOptions, createClient, isTillgateError, type Store, verifyWebhook } from 'tillgate-client'
import { createConnections, newSession } from './connections.ts'
import { createCopy } from './copy.ts'
import { openDatabase } from './database.ts'
import { dateIn, dateToShow, figuresOf, windowAround } from './day.ts'
import { openEvents, readBody, readSession, redirect, sendPage, setSession } from './http.ts'
import { dayPage, messagePage, noStoresPage, startPage, storeAddress } from './pages.ts'

export interface LedgerOptions {
  /** The ledger's public address. */
  site: string
  /** A SQLite file. */
  database: string
  tillgate: ClientOptions
  /** `whsec_…`, of the app's webhook endpoint at `/webhooks`. */
  webhookSecret: string
}

/** Milliseconds. */
const retryAfter = 5000
/** Milliseconds that a merchant waits for the first read after connecting. */
const firstRead = 3000

const assets: Record<string, string> = {
  'ledger.css': 'text/css',
  'live.js': 'text/javascript',
  'icon.svg': 'image/svg+xml',
}

/** Harbour Ledger: a merchant connects it, and sees the day's orders and sales as they happen. */
export function createLedger(options: LedgerOptions): { server: Server; close(): void } {
  const { site, tillgate } = options
  const callback = `${site}/callback`
  const db = openDatabase(options.database)
  const connections = createConnections(db, tillgate)
  /** Open pages, by store. */
  const watching = new Map<string, Set<(data: string) => void>>()
  const copy = createCopy(db, createClient(tillgate), storeId => {
    for (const send of watching.get(storeId) ?? []) send('changed')
  })
  const syncAll = (): Promise<void> =>
    copy.syncAll().catch(error => {
      console.error(`the stores could not be listed; trying again: ${String(error)}`)
      if (server.listening) setTimeout(() => void syncAll(), retryAfter).unref()
    })

  /** The stores that the session's merchant allows now; null without a connection, also when it was revoked. */
  async function storesOf(session: string | null): Promise<Store[] | null> {
    const merchant = session === null ? null : connections.find(session)
    if (session === null || merchant === null) return null
    try {
      return await Array.fromAsync(merchant.stores())
    } catch (error) {
      const ended = ['invalid_grant', 'authorization_required', 'token_revoked'] as const
      if (!ended.some(code => isTillgateError(error, code))) throw error
      connections.forget(session)
      return null
    }
  }

  type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void

  const routes: Record<string, Handler> = {
    async 'GET /'(request, response, url) {
      const stores = await storesOf(readSession(request, site))
      if (stores === null) return sendPage(response, 200, startPage())
      const wanted = url.searchParams.get('store')
      // The store that sold last, when the address names none.
      const [latest] = stores.toSorted((a, b) => (newestOf(b) > newestOf(a) ? 1 : -1))
      if (wanted === null && latest) return redirect(response, storeAddress(latest))
      const store = stores.find(({ id }) => String(id) === wanted)
      if (!store) return sendPage(response, wanted === null ? 200 : 404, noStoresPage())
      const today = dateIn(store.timezone, new Date())
      const newest = copy.newest(String(store.id))
      const date = dateToShow(url.searchParams.get('day'), store.timezone, newest, new Date())
      const { from, to } = windowAround(date)
      const day = figuresOf(date, store.timezone, copy.orders(String(store.id), from, to))
      const isRead = copy.isRead(String(store.id))
      sendPage(response, 200, dayPage({ store, stores, day, today, isRead }))
    },

    async 'GET /connect'(request, response) {
      const session = readSession(request, site) ?? newSession()
      const { url } = await connections.begin(session, callback)
      setSession(response, site, session)
      redirect(response, url)
    },

    async 'GET /callback'(request, response, url) {
      try {
        const session = await connections.complete(readSession(request, site) ?? '', url)
        setSession(response, site, session)
        // Long enough for the first page to have orders, where there are not too many.
        await Promise.race([syncAll(), sleep(firstRead)])
        redirect(response, '/')
      } catch (error) {
        if (isTillgateError(error, 'access_denied')) {
          return sendPage(
            response,
            200,
            messagePage('You did not connect your stores', 'Nothing was shared.'),
          )
        }
        if (!isTillgateError(error) || error.code === 'connection_failed') throw error
        const text =
          'This answer does not belong to a connection that this browser began here. Connect again.'
        sendPage(response, 400, messagePage('The stores could not be connected', text))
      }
    },

    async 'POST /disconnect'(request, response) {
      const session = readSession(request, site)
      if (session !== null) await connections.end(session)
      setSession(response, site, null)
      redirect(response, '/')
    },

    async 'GET /events'(request, response, url) {
      const stores = await storesOf(readSession(request, site))
      const id = url.searchParams.get('store') ?? ''
      // 204 tells the browser not to connect again.
      if (!stores?.some(store => String(store.id) === id)) return void response.writeHead(204).end()
      const { send } = openEvents(response)
      const pages = watching.get(id) ?? new Set()
      watching.set(id, pages.add(send))
      response.on('close', () => pages.delete(send))
    },

    async 'POST /webhooks'(request, response) {
      const body = await readBody(request, 65_536)
      if (body === null) return void response.writeHead(413, { connection: 'close' }).end()
      const secret = options.webhookSecret
      const event = await verifyWebhook({ secret, headers: request.headers, body }).catch(() => null)
      response.writeHead(event ? 204 : 400).end()
      // Answered first: reading may take longer than the sender waits, and the copy repeats what fails.
      if (event?.type === 'store.changed') void copy.sync(String(event.data.store_id))
      else if (event?.type.startsWith('authorization.')) void syncAll()
    },
  }
  for (const [name, type] of Object.entries(assets)) {
    const content = readFileSync(new URL(`assets/${name}`, import.meta.url))
    routes[`GET /${name}`] = (_request, response) =>
      void response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=60' }).end(content)
  }

  const newestOf = ({ id }: Store): string => copy.newest(String(id)) ?? ''

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url?.startsWith('/') ? site + request.url : site)
    const route = routes[`${request.method === 'HEAD' ? 'GET' : request.method} ${url.pathname}`]
    if (!route) return sendPage(response, 404, messagePage('There is no such page', ''))
    // The cookie belongs to one host name; another name of this machine (127.0.0.1) leads to it.
    const isOurs = request.headers.host === new URL(site).host || url.pathname === '/webhooks'
    if (!isOurs) return redirect(response, site + url.pathname, 307)
    await route(request, response, url)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(error => {
      console.error(String(error))
      if (response.headersSent) return response.destroy()
      const text = 'The shop’s data cannot be reached now. Try again in a moment.'
      sendPage(response, 502, messagePage('Something went wrong', text))
    })
  })
  server.once('listening', () => void syncAll())
  return {
    server,
    close() {
      copy.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
