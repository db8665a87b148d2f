import { createAccounts } from '../../src/domain/accounts/accounts.ts'
import { createApps } from '../../src/domain/apps/apps.ts'
import { systemClock as clock } from '../../src/lib/clock.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { type Client, grant, type Reachable, redirectUri, type Tokens } from './authorize.ts'
import { createCli } from './cli.ts'
import { type Node, startBalancer, startNode } from './nodes.ts'
import { freePort } from './ports.ts'
import { freshDatabase } from './postgres.ts'
import { answerOf, password } from './server.ts'
import { byTest } from './by.ts'
import { ownToken } from './token.ts'
import { openStorage } from './storage.ts'

/** Three nodes on one PostgreSQL, real processes, and one address that gives each request to another of them. */
export interface ThreeNodes {
  nodes: [Node, Node, Node]
  /** Behind the address that is their issuer. */
  all: Reachable
  database: string
  /** The same database, from this process. */
  storage: Storage
  /** The command line, with --json. */
  tillgate<T>(...args: string[]): Promise<T>
  newApp(): Promise<Client>
  /** A new app that the merchant has allowed these stores, each step of it on another node. */
  connect(stores?: string[]): Promise<Tokens & { client: Client }>
  /** A token of the client_credentials grant. */
  ownToken(client: Client, node?: Node): Promise<string>
  /** The error code that each node answers with; null for none. */
  codes(path: string, token: string): Promise<(string | null)[]>
  close(): Promise<void>
}

export const owner = 'owner@example.com'

export async function startThreeNodes(): Promise<ThreeNodes> {
  const cli = await createCli()
  const database = await freshDatabase()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  // A long queue timeout: each of 64 requests at once must get its own answer, however busy the machine is.
  const env = { TILLGATE_DATABASE: database, TILLGATE_BASE_URL: base, TILLGATE_MAX_WAIT: '20000' }
  // At once, on a database without a single table.
  const nodes = await Promise.all([startNode(cli, env), startNode(cli, env), startNode(cli, env)])
  const balancer = await startBalancer(port, () => nodes.map(node => node.base))
  const storage = await openStorage(database)
  await createAccounts({ storage, clock }).create({ email: owner, role: 'merchant', password }, byTest)
  const stores = [1001, 1002].map(
    id => `{"kind":"store","id":${id},"name":"Store ${id}","timezone":"UTC","merchant":"${owner}"}`,
  )
  await cli.run(['import', '-'], { env, stdin: stores.join('\n') })

  const three: ThreeNodes = {
    nodes,
    all: {
      base,
      post: async (path, fields) =>
        answerOf(await fetch(base + path, { method: 'POST', body: new URLSearchParams(fields) })),
    },
    database,
    storage,
    tillgate: (...args) => cli.json(args, { env }),
    async newApp() {
      const { app, client_secret } = await createApps({ storage, clock }).create(
        {
          name: 'Ledger',
          redirect_uris: [redirectUri],
          scope: null,
          public: false,
          owner_id: null,
        },
        byTest,
      )
      return { client_id: app.id, client_secret: client_secret ?? '' }
    },
    async connect(stores = ['1001']) {
      const client = await three.newApp()
      return { client, ...(await grant(three.all, client, { stores })) }
    },
    ownToken: (client, node = nodes[0]) => ownToken(node, client),
    codes: (path, token) =>
      Promise.all(nodes.map(async node => (await node.get(path, token)).json.status.errors?.code ?? null)),
    async close() {
      await Promise.all(nodes.map(node => node.stop()))
      balancer.closeAllConnections()
      balancer.close()
      await storage.close()
      cli.remove()
    },
  }
  return three
}
