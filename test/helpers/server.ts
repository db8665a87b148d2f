import type { FastifyInstance } from 'fastify'
import { type AppDeps, buildApp } from '../../src/server/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Accounts, createAccounts } from '../../src/domain/accounts/accounts.ts'
import { type Apps, createApps, type NewApp } from '../../src/domain/apps/apps.ts'
import { auditEntry } from '../../src/domain/audit/audit.ts'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import { createIngestPool } from '../../src/ingest/threads/pool.ts'
import { randomId } from '../../src/lib/ids.ts'
import type { Account, App, Role, Storage } from '../../src/storage/port/index.ts'
import { type Answer, answerOf, password_hash } from './answers.ts'
import { type TestClock, testClock } from './clock.ts'
import { emptyDatabase } from './engine.ts'
import { assertCleanLog, keepRequests, keepSecret } from './log-check.ts'
import { freePort } from './ports.ts'
import { byTest } from './by.ts'
import { ownToken } from './token.ts'
import { databaseEnvironment, openStorage } from './storage.ts'

export { type Answer, answerOf, password } from './answers.ts'

/** A whole Tillgate on a real socket, over a database of its own, with a clock that the test moves. */
export interface TestServer {
  app: FastifyInstance
  base: string
  storage: Storage
  clock: TestClock
  apps: Apps
  accounts: Accounts
  /** Every line that was logged. */
  log: string[]
  /** The same as objects. */
  events(): any[]
  get(path: string, token?: string, headers?: Record<string, string>): Promise<Answer>
  post(
    path: string,
    form: Record<string, string> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** Stores records as the platform would. */
  push(...records: object[]): Promise<void>
  newApp(options?: Partial<NewApp>): Promise<{ app: App; client_id: string; client_secret: string }>
  newAccount(email: string, role?: Role): Promise<Account>
  /** An access token of the client_credentials grant. */
  token(client: { client_id: string; client_secret: string }, scope?: string): Promise<string>
  close(): Promise<void>
}

export interface ServerOptions {
  clock?: TestClock
  config?: Partial<AppDeps['config']>
  database?: string
  /** Threads that store the platform's records; the server does it itself when left out. */
  threads?: number
  /** A public address other than the one listened on. */
  issuer?: string
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const clock = options.clock ?? testClock()
  const database = options.database ?? (await emptyDatabase({ shared: options.threads !== undefined }))
  const storage = await openStorage(database)
  const settings = readConfig(databaseEnvironment)
  const { threads } = options
  const ingest = threads === undefined ? null : createIngestPool({ database, threads, storage: settings })
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const log: string[] = []
  const app = await buildApp({
    storage,
    clock,
    issuer: options.issuer ?? base,
    // A long queue timeout: on a busy machine some of many requests at once would be rejected.
    config: { ...settings, max_wait: 20_000, ...options.config },
    ...(ingest && { ingest }),
    log: { write: line => void log.push(line) },
  })
  keepRequests(app.server)
  await app.listen({ host: '127.0.0.1', port })
  const apps = createApps({ storage, clock })
  const accounts = createAccounts({ storage, clock })
  const writer = createRecordWriter({ storage, clock })

  const server: TestServer = {
    app,
    base,
    storage,
    clock,
    apps,
    accounts,
    log,
    events: () => log.map(line => JSON.parse(line)),
    get: async (path, token, headers = {}) =>
      answerOf(
        await fetch(base + path, {
          redirect: 'manual',
          headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
        }),
      ),
    post: async (path, form, headers = {}) =>
      answerOf(
        await fetch(base + path, {
          method: 'POST',
          redirect: 'manual',
          headers,
          body: new URLSearchParams(form),
        }),
      ),
    async push(...records) {
      await writer.write(records.map((record, i) => ({ line: i + 1, text: JSON.stringify(record) })))
    },
    async newApp(options = {}) {
      const { app, client_secret } = await apps.create(
        {
          name: 'Ledger',
          redirect_uris: [],
          scope: null,
          public: false,
          owner_id: null,
          ...options,
        },
        byTest,
      )
      keepSecret('client_secret', client_secret)
      return { app, client_id: app.id, client_secret: client_secret ?? '' }
    },
    async newAccount(email, role = 'merchant') {
      const created_at = clock.now()
      const account = { id: randomId(), email, role, password_hash, created_at, disabled_at: null }
      const about = { account_id: account.id, detail: role }
      const entry = auditEntry(clock, byTest, 'account_created', about)
      if (await storage.accounts.create(account, entry)) return account
      throw new Error(`${email} has an account already`)
    },
    token: (client, scope) => ownToken(server, client, scope),
    async close() {
      const closed = app.close()
      // fetch may have opened one beforehand, and Node waits for its first request.
      app.server.closeAllConnections()
      await closed
      await ingest?.close()
      await storage.close()
      assertCleanLog(log)
    },
  }
  return server
}
