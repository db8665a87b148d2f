import { provideChromium } from './chromium.ts'
import { compileCache } from './compile-cache.ts'
import { providePgBouncer } from './pgbouncer.ts'
import { createServer, type PostgresServer } from './postgres-server.ts'

// For `node --test --test-global-setup`: one PostgreSQL for all test files, which run as processes of their own and
// find it in the environment; and a browser and a PgBouncer, brought once rather than by several files at a time.

let server: PostgresServer | null = null

export async function globalSetup(): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] ??= compileCache
  provideChromium()
  providePgBouncer()
  if (process.env['TEST_DATABASE']) return
  server = await createServer()
  await server.start()
  process.env['TEST_DATABASE'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}
