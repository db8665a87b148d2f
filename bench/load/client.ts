import { once } from 'node:events'
import type { Client, Data } from '../data.ts'
import type { Request } from './load.ts'
import { familyOf, type Running, tillgate } from '../process.ts'

export interface Served {
  base: string
  /** The server and its workers, if any. */
  pids: number[]
  /** Peak memory of the first process, in MB. */
  peak(): number | null
}

/** Runs `use` against a new server process. */
export async function withServer<T>(
  env: Record<string, string>,
  use: (server: Served) => Promise<T>,
): Promise<T> {
  const server = tillgate(['serve'], env)
  try {
    const base = await readyAt(server)
    return await use({ base, pids: familyOf(server.child.pid ?? 0), peak: server.peak })
  } finally {
    server.child.kill('SIGTERM')
    if (server.child.exitCode === null) await once(server.child, 'exit')
  }
}

/** The address of a server that has started. */
export async function readyAt(server: Running): Promise<string> {
  const gone = once(server.child, 'exit').then(([code]) => {
    throw new Error(`the server ended at its start with exit code ${code}`)
  })
  gone.catch(() => {})
  while (!/http:\S+/.test(server.stdout()))
    await Promise.race([once(server.child.stdout as NodeJS.ReadableStream, 'data'), gone])
  return /http:\S+/.exec(server.stdout())?.[0] ?? ''
}

/** A server over the data, and a token that reads it. */
export const withReader = <T>(
  data: Data,
  use: (server: Served, headers: { authorization: string }) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> =>
  withServer({ ...data.env, ...env }, async server =>
    use(server, { authorization: `Bearer ${await tokenFor(server.base, data.reader)}` }),
  )

export async function tokenFor(base: string, client: Client): Promise<string> {
  const { client_id, client_secret } = client
  const form = { grant_type: 'client_credentials', client_id, client_secret }
  const response = await fetch(`${base}/auth/v2/token`, { method: 'POST', body: new URLSearchParams(form) })
  return ((await response.json()) as { access_token: string }).access_token
}

export const datetime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

export const twoDays = 172_800

/** Random two-day windows of random stores, so that requests rarely repeat a page. */
export function orderRequests(
  { store_ids, days, end }: Data,
  count: number,
  headers: Record<string, string>,
): Request[] {
  return Array.from({ length: 5000 }, () => {
    const start = end - Math.floor((2 + Math.random() * (days - 4)) * 86_400)
    const query = new URLSearchParams({
      store_id: String(store_ids[Math.floor(Math.random() * store_ids.length)]),
      start_date: datetime(start),
      end_date: datetime(start + twoDays),
      count: String(count),
    })
    return { path: `/integration/v1/orders?${query}`, headers }
  })
}

/** The average response size of the first requests. */
export async function sizeOf(base: string, requests: readonly Request[]): Promise<number> {
  let sum = 0
  const asked = requests.slice(0, 50)
  for (const { path, headers = {} } of asked) {
    const response = await fetch(base + path, { headers: { 'accept-encoding': 'identity', ...headers } })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    sum += (await response.arrayBuffer()).byteLength
  }
  return Math.round(sum / asked.length)
}
