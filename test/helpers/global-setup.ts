import { migrate } from '../../src/storage/open.ts'
import { buildOnce } from './build.ts'
import { provideChromium } from './chromium.ts'
import { compileCache } from './compile-cache.ts'
import { providePgBouncer } from './pgbouncer.ts'
import { administer } from './postgres-admin.ts'
import { createServer, type PostgresServer } from './postgres-server.ts'

// For `node --test --test-global-setup`: one PostgreSQL for all test processes, which find it in the environment; and
// a browser, a PgBouncer and a build, made once rather than by several processes at a time.

let server: PostgresServer | null = null

export async function globalSetup(): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] ??= compileCache
  process.env['TEST_INGEST_THREADS'] = '1'
  process.env['TEST_DATABASE_TIMEOUT'] = '30000'
  if (process.argv.some(file => /\/pages\//.test(file))) provideChromium()
  providePgBouncer()
  if (!process.env['TEST_BUILD']) buildOnce()
  if (!process.env['TEST_DATABASE']) {
    server = await createServer()
    await server.start()
    process.env['TEST_DATABASE'] = server.url
    process.env['TEST_DATABASE_IS_OURS'] = 'true'
  }
  process.env['TEST_TEMPLATE'] = await createTemplate(process.env['TEST_DATABASE'])
}

/** A migrated database that others are copied from. */
async function createTemplate(url: string): Promise<string> {
  const name = 'tillgate_test_template'
  await administer(url, `drop database if exists ${name}`)
  await administer(url, `create database ${name}`)
  await migrate(new URL(name, url).href)
  return name
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}
