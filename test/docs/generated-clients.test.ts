import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { generateClients } from '../generated/generate.ts'
import { byTest } from '../helpers/by.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** What an integrator gets from a code generator: named types that compile, and requests that the server answers. */

/** Uses the types by their names: it does not compile when a schema has none. */
const program = `
import createFetch from 'openapi-fetch'
import type { components, paths } from './openapi-typescript'
import { client } from './hey-api/client.gen'
import { listChanges, listOrders } from './hey-api'
import type { Change, Error as ApiError, Order, StoreChanged } from './hey-api'

type Schemas = components['schemas']
const window = { store_id: 1001, start_date: '2026-11-01 00:00:00', end_date: '2026-11-01 23:59:59' }

export async function byOpenapiTypescript(baseUrl: string, token: string) {
  const { GET } = createFetch<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const { data, response } = await GET('/integration/v1/orders', { params: { query: window } })
  const orders = data?.data ?? []
  const lines: Schemas['CartItem'][] = orders.flatMap(({ carts }) => carts)
  const refused = await GET('/integration/v1/orders', { params: { query: { ...window, count: 2001 } } })
  const error: Schemas['Error'] | undefined = refused.error?.status.errors
  return {
    ids: orders.map(({ id }) => id),
    lines: lines.length,
    etag: response.headers.get('etag'),
    code: error?.code,
  }
}

export async function byHeyApi(baseUrl: string, token: string) {
  client.setConfig({ baseUrl, auth: () => token })
  const { data } = await listOrders({ query: window })
  const orders: Order[] = data?.data ?? []
  const { error } = await listOrders({ query: { ...window, count: 2001 } })
  const code: ApiError['code'] | undefined = error?.status.errors.code
  const changes: Change[] = (await listChanges({ query: { store_id: 1001 } })).data?.data.changes ?? []
  const names = changes.map(change => (change.kind === 'item' ? change.data.name : change.data.order_number))
  return { ids: orders.map(({ id }) => id), names, code }
}

export const seqOf = (event: StoreChanged): number => event.data.seq
`

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
}

let server: TestServer
let folder: string
let token: string

before(async () => {
  server = await startServer()
  await server.push(sampleStore(), sampleItem(), sampleOrder())
  const app = await server.newApp()
  await server.apps.authorize(app.client_id, [1001n], byTest)
  token = await server.token(app)
  folder = await mkdtemp(join(tmpdir(), 'tillgate-generated-'))
  await mkdir(join(folder, 'out'))
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  await generateClients((await server.get('/openapi.json')).json, folder)
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
})

after(async () => {
  await rm(folder, { recursive: true })
  await server.close()
})

describe('clients generated from the OpenAPI document', () => {
  test('compile under tsc --strict', async () => {
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')
    const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch(error => error)
    assert.equal(stdout, '')
  })

  test('read a page of orders, and an error by its code', async () => {
    const outfile = join(folder, 'out/program.mjs')
    await build({
      entryPoints: [join(folder, 'program.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
    })
    const { byOpenapiTypescript, byHeyApi } = await import(outfile)
    const page = await byOpenapiTypescript(server.base, token)
    assert.deepEqual([page.ids, page.code], [[sampleOrder().id], 'count_too_large'])
    assert.equal(page.lines, sampleOrder().carts.length)
    assert.match(page.etag, /^W\//)
    assert.deepEqual(await byHeyApi(server.base, token), {
      ids: [sampleOrder().id],
      names: [sampleItem().name, sampleOrder().order_number],
      code: 'count_too_large',
    })
  })
})
