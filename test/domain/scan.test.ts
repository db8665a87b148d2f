import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scan, type Source } from '../../src/domain/store-data/scan.ts'
import type { Cursor } from '../../src/storage/port/index.ts'

/** Filters and searches of the data pages read a list in bounded steps. */

interface Entry {
  id: number
}

function numbers(count: number): Source<Entry> & { reads: number } {
  const source = {
    reads: 0,
    keyOf: ({ id }: Entry): Cursor => [id],
    async read(behind: Cursor | undefined, wanted: number) {
      source.reads++
      const first = behind === undefined ? 0 : Number(behind[0]) + 1
      const ids = Array.from({ length: Math.min(wanted, count - first) }, (_, i) => first + i)
      const end = ids.length === wanted ? [ids.at(-1) as number] : null
      const json = ids.map(id => `{"id":${id}}`).join(',')
      return { version: 1, page: { first: [Buffer.from(json)], rest: null, rows: ids.length, end } }
    },
  }
  return source
}

test('a page has `limit` entries and continues behind the last of them', async () => {
  const all: number[] = []
  let behind: Cursor | undefined
  for (let pages = 0; pages < 10; pages++) {
    const source = numbers(300)
    const found = await scan(source, { matches: ({ id }) => id % 3 === 0 }, { behind, limit: 30 })
    all.push(...found.entries.map(({ id }) => id))
    if (found.next === null) break
    assert.equal(found.entries.length, 30)
    behind = found.next
  }
  assert.deepEqual(
    all,
    Array.from({ length: 100 }, (_, i) => i * 3),
  )
})

test('a filter that nothing passes reads 20,000 entries of a list of 100,000, and continues from there', async () => {
  const source = numbers(100_000)
  const first = await scan(source, { matches: () => false }, { behind: undefined, limit: 50 })
  assert.ok(first.scanned >= 20_000 && first.scanned < 20_200, String(first.scanned))
  assert.equal(Number(first.next?.[0]), first.scanned - 1)
  const second = await scan(source, { matches: () => true }, { behind: first.next ?? undefined, limit: 1 })
  assert.equal(second.entries[0]?.id, first.scanned)
})

test('batches without the text are not parsed, and none is left out', async () => {
  const wanted = { matches: ({ id }: Entry) => String(id).includes('777'), text: '777' }
  const found = await scan(numbers(10_000), wanted, { behind: undefined, limit: 100 })
  const expected = Array.from({ length: 10_000 }, (_, i) => i).filter(id => String(id).includes('777'))
  assert.deepEqual(
    found.entries.map(({ id }) => id),
    expected,
  )
})

test('a page that ends with the list has no next one', async () => {
  const found = await scan(numbers(128), { matches: () => true }, { behind: undefined, limit: 128 })
  assert.deepEqual([found.entries.length, found.next], [128, null])
})
