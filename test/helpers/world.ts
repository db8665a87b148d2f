import assert from 'node:assert/strict'
import { sampleStore } from './orders.ts'
import { type Answer, answerOf, type ServerOptions, startServer, type TestServer } from './server.ts'
import { byTest } from './by.ts'
import { testClock } from './clock.ts'

/** A server with a platform that pushes and an app that reads, both through HTTP alone. */
export interface World {
  server: TestServer
  /** The reading app, linked to every store of the world. */
  reader: { client_id: string; client_secret: string }
  platform: { client_id: string; client_secret: string }
  /** A live token of the reader with all three integration scopes. */
  token(): Promise<string>
  /** Sends records, or lines that are JSON already, to the platform's endpoint. */
  write(...records: (object | string)[]): Promise<Answer>
  /** Writes and insists that all of it was stored. */
  push(...records: (object | string)[]): Promise<void>
  /** GET of an integration path with the reader's token. */
  read(path: string, query?: Query): Promise<Answer>
  /** The data of a GET that must succeed. */
  list(path: string, query?: Query): Promise<any[]>
  close(): Promise<void>
}

export type Query = Record<string, string | number | bigint> | string

export const stores = '/integration/v1/stores'
export const orders = '/integration/v1/orders'
export const items = '/integration/v1/inventory/items'
export const sales = '/integration/v1/inventory/sales'
export const activate = (store_id: string | number) => `/integration/v1/store/${store_id}/activate`

/** A day that holds the sample order, and the store of all samples. */
export const day = { store_id: 1001, start_date: '2026-11-01 00:00:00', end_date: '2026-11-01 23:59:59' }

/** What each list needs besides index and count. */
export const lists = [
  { path: stores, query: {} },
  { path: orders, query: day },
  { path: items, query: { store_id: 1001 } },
  { path: sales, query: day },
] as const

export const withQuery = (path: string, query: Query = {}): string => {
  const text = typeof query === 'string' ? query : new URLSearchParams(entriesOf(query)).toString()
  return text === '' ? path : `${path}?${text}`
}

const entriesOf = (query: Exclude<Query, string>): [string, string][] =>
  Object.entries(query).map(([name, value]) => [name, String(value)])

/** `yyyy-MM-dd HH:mm:ss`, this many seconds behind 2026-11-01 00:00:00 UTC. */
export const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 10, 1) + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** Records from the future are refused, so the world's clock stands behind every time that its tests send. */
const afterEveryRecord = Date.UTC(2026, 10, 15) / 1000

export async function startWorld(
  store_ids: readonly (number | bigint)[] = [1001],
  options: ServerOptions = {},
): Promise<World> {
  const server = await startServer({ clock: testClock(afterEveryRecord), ...options })
  const platform = await server.newApp({ name: 'Till', scope: 'platform.write' })
  const reader = await server.newApp()
  const tokens = new Map<object, { token: string; since: number }>()

  /** A new token when the test has moved the clock. */
  async function fresh(client: typeof reader): Promise<string> {
    const now = server.clock.now()
    const held = tokens.get(client)
    if (held?.since === now) return held.token
    const token = await server.token(client)
    tokens.set(client, { token, since: now })
    return token
  }

  const world: World = {
    server,
    platform,
    reader,
    token: () => fresh(reader),
    async write(...records) {
      const lines = records.map(record => (typeof record === 'string' ? record : JSON.stringify(record)))
      return answerOf(
        await fetch(`${server.base}/platform/v1/records`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${await fresh(platform)}`,
            'content-type': 'application/x-ndjson',
          },
          body: `${lines.join('\n')}\n`,
        }),
      )
    },
    async push(...records) {
      const { status, text } = await world.write(...records)
      assert.equal(status, 200, text)
    },
    read: async (path, query) => server.get(withQuery(path, query), await fresh(reader)),
    async list(path, query) {
      const answer = await world.read(path, query)
      assert.equal(answer.status, 200, answer.text)
      return answer.json.data
    },
    close: () => server.close(),
  }
  try {
    await world.push(
      ...store_ids.map(id => JSON.stringify(sampleStore({ id: 0 })).replace('"id":0', `"id":${id}`)),
    )
    await server.apps.authorize(reader.client_id, store_ids.map(BigInt), byTest)
  } catch (error) {
    // An open socket would keep the failed test's process alive.
    await server.close()
    throw error
  }
  return world
}

/** What an error answer says, once its shape is known to be right (spec 2.1, 7). */
export function errorOf(answer: Answer): {
  code: string
  message: string
  details: { field: string; code: string; message: string; line?: number }[]
} {
  const { status, data } = answer.json
  assert.equal(status.ack, answer.status, answer.text)
  assert.equal(data, null)
  assert.deepEqual(Object.keys(status.errors), ['code', 'message', 'details'])
  return status.errors
}

/** `[HTTP status, code]` of an error answer in the envelope. */
export const refusal = (answer: Answer): [number, string] => [answer.status, errorOf(answer).code]
