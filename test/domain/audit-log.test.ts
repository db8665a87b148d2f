import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAuditLog } from '../../src/domain/audit/log.ts'
import type { AuditEntry, AuditQuery, Storage } from '../../src/storage/port/index.ts'
import { openStorage } from '../helpers/storage.ts'

/** How the log is read: a page is whole however far its entries lie apart, and no question is too long. */

let storage: Storage
const total = 12_000

before(async () => {
  // The engines are held to what is asked of them here by their own suite.
  storage = await openStorage(':memory:')
  for (let i = 0; i < total; i++) await storage.audit.append(entry(i))
})

after(() => storage.close())

const idOf = (i: number): string => String(i).padStart(6, '0')

/** Every 4000th is of Bo. */
const entry = (i: number): AuditEntry => ({
  id: idOf(i),
  at: i,
  action: 'sign_in',
  actor_kind: 'account',
  actor_id: 'a',
  actor_name: i % 4000 === 0 ? 'Bo' : 'Cy',
  account_id: null,
  app_id: null,
  store_ids: [],
  detail: null,
  address: null,
  request_id: null,
})

/** The log, and every question that it asks of the storage. */
function watched() {
  const asked: AuditQuery[] = []
  const audit = {
    ...storage.audit,
    list: (query: AuditQuery) => {
      asked.push(query)
      return storage.audit.list(query)
    },
  }
  return { log: createAuditLog({ storage: { audit } }), asked }
}

test('a page without a search is one statement that reads little more than the page', async () => {
  const { log, asked } = watched()
  const { lines, next } = await log.page({}, { limit: 50 })
  assert.equal(lines.length, 50)
  assert.equal(next, idOf(total - 50))
  assert.deepEqual(asked, [{ limit: 50, scan_limit: 51 }])
  const last = await log.page({}, { before: idOf(50), limit: 50 })
  assert.deepEqual([last.lines.length, last.next], [50, null])
})

test('a search runs in short statements, newest first, without duplicates', async () => {
  const { log, asked } = watched()
  const { lines, next } = await log.page({ search: 'bo' }, { limit: 50 })
  assert.deepEqual(
    lines.map(({ id }) => id),
    [idOf(8000), idOf(4000), idOf(0)],
  )
  assert.equal(next, null)
  for (const { scan_limit } of asked) assert.ok(scan_limit <= 2000)
  const page = await log.page({ search: 'bo' }, { limit: 2 })
  assert.deepEqual([page.lines.length, page.next === null], [2, false])
  const rest = await log.page({ search: 'bo' }, { before: page.next ?? '', limit: 2 })
  assert.deepEqual(
    rest.lines.map(({ id }) => id),
    [idOf(0)],
  )
})

test('other work runs during a search', async () => {
  const { log } = watched()
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await log.page({ search: 'nobody' }, { limit: 50 })
  clearInterval(timer)
  assert.ok(turns >= 1, String(turns))
})

test('a search without matches stops at its limit, and returns where to continue', async () => {
  const asked: AuditQuery[] = []
  const log = createAuditLog({
    storage: {
      audit: {
        append: async () => {},
        // A log without end.
        list: async query => {
          asked.push(query)
          return { lines: [], next: String(asked.length) }
        },
      },
    },
  })
  const { lines, next } = await log.page({ search: 'x' }, { limit: 50 })
  assert.deepEqual(lines, [])
  assert.equal(next, String(asked.length))
  const scanned = asked.reduce((sum, { scan_limit }) => sum + scan_limit, 0)
  assert.equal(scanned, 30_000)
})

test('an export reads page by page, up to its limit', async () => {
  const { log, asked } = watched()
  const ids: string[] = []
  for await (const lines of log.pages({}, 1200)) ids.push(...lines.map(({ id }) => id))
  assert.deepEqual(
    ids,
    Array.from({ length: 1200 }, (_, i) => idOf(total - 1 - i)),
  )
  assert.deepEqual(
    asked.map(({ limit }) => limit),
    [500, 500, 200],
  )
  let count = 0
  for await (const lines of log.pages({ search: 'Bo' }, 10)) count += lines.length
  assert.equal(count, 3)
})
