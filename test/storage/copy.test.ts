import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { everything } from '../../src/storage/copy/port.ts'
import { tables } from '../../src/storage/shared/tables.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { copy, dump, manyOrders, populate, using } from './copying.ts'
import { temporaryFolder } from './folder.ts'
import { openCopy, openStorage } from '../helpers/storage.ts'

const folder = temporaryFolder()
after(() => folder.remove())

let source: string
let target: string
let expected: Record<string, string[]>
before(async () => {
  source = folder.newFile()
  target = await freshDatabase()
  await populate(source)
  expected = await dump(source)
  for (const [table, rows] of Object.entries(expected)) assert.ok(rows.length > 0, `${table} has no row`)
})

describe('a copy', () => {
  test('SQLite → PostgreSQL: every row of every table is the same, and the source is not changed', async () => {
    const file = readFileSync(source)
    const copied = await copy(source, target)
    assert.deepEqual(copied?.differences, [])
    assert.equal(copied.removed, 0)
    assert.equal(copied.written, Object.values(expected).flat().length)
    assert.deepEqual(await dump(target), expected)
    assert.deepEqual(
      copied.rows,
      Object.fromEntries(Object.entries(expected).map(([name, rows]) => [name, rows.length])),
    )
    assert.ok(readFileSync(source).equals(file))
  })

  test('run again, it writes nothing', async () => {
    const newest = `select ${tables.map(({ name }) => `(select max(xmin::text::bigint) from ${name}) as ${name}`).join(', ')}`
    const [before] = await administer(target, newest)
    const copied = await copy(source, target)
    assert.deepEqual([copied?.written, copied?.removed, copied?.differences], [0, 0, []])
    const [after] = await administer(target, newest)
    assert.deepEqual({ ...after }, { ...before })
  })

  test('PostgreSQL → SQLite and PostgreSQL → PostgreSQL give the same rows', async () => {
    for (const back of [folder.newFile(), await freshDatabase()]) {
      const copied = await copy(target, back)
      assert.deepEqual(copied?.differences, [])
      assert.deepEqual(await dump(back), expected)
      assert.equal((await copy(target, back))?.written, 0)
      const sender = await using(back, storage => storage.webhooks.sender())
      assert.deepEqual(sender, { paused: true, watermark: 0 }, 'a copy calls no endpoint')
    }
  })

  test('an empty database is copied too', async () => {
    const [empty, to] = [folder.newFile(), await freshDatabase()]
    await (await openStorage(empty)).close()
    assert.deepEqual((await copy(empty, to))?.differences, [])
  })

  test('failed sign-ins are not copied', async () => {
    const rows = await administer(target, 'select key from throttles')
    assert.equal(rows.filter(({ key }) => !key.startsWith('copy:')).length, 0)
  })
})

test('both engines read the same ranges in the same order and tally them alike', async () => {
  const [file, url] = [await openCopy(source), await openCopy(target)]
  try {
    for (const table of tables) {
      const rows = await file.read(table, everything, manyOrders)
      assert.deepEqual(await url.read(table, everything, manyOrders), rows)
      for (const limit of [1, 3, undefined]) {
        const [one, other] = [
          await file.tally(table, everything, limit),
          await url.tally(table, everything, limit),
        ]
        assert.ok(one.size > 0)
        assert.deepEqual(new Map([...one].sort()), new Map([...other].sort()))
      }
    }
  } finally {
    await file.close()
    await url.close()
  }
})
