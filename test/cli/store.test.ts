import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { createCli } from '../helpers/cli.ts'
import { openStorage } from '../helpers/storage.ts'

const cli = await createCli()
after(cli.remove)

const highest = 2n ** 63n - 1n
/** More than two pages, of which the last is full. */
const many = Array.from({ length: 2999 }, (_, index) => BigInt(index + 1))
const ids = [...many, highest]

before(async () => {
  assert.equal((await cli.run(['store', 'list'])).stdout, 'no stores\n')
  assert.deepEqual(await cli.json(['store', 'list']), [])
  const storage = await openStorage(cli.database)
  const stores = ids.map(id => ({
    id,
    name: id === 2n ? 'A longer name\u202e than others' : `Shop ${id}`,
    timezone: 'Australia/Sydney',
    merchant: id === 1n ? 'ada@example.com' : null,
    doc: `{"id":${id}}`,
  }))
  await storage.records.write({ store_ids: ids, items: [], orders: [] }, () => ({
    stores,
    items: [],
    orders: [],
    rollups: [],
  }))
  await storage.close()
})

test('store list --json: an array of all stores by id, with int64 ids as they are', async () => {
  const { stdout, stderr } = await cli.run(['store', 'list', '--json'])
  assert.equal(stderr, '')
  assert.ok(
    stdout.startsWith(
      '[{"id":1,"name":"Shop 1","timezone":"Australia/Sydney","merchant":"ada@example.com"},',
    ),
  )
  assert.ok(stdout.endsWith('}]\n'))
  assert.deepEqual(
    [...stdout.matchAll(/"id":(\d+)/g)].map(([, id]) => BigInt(id ?? '')),
    ids,
  )
  assert.equal((JSON.parse(stdout) as unknown[]).length, ids.length)
  assert.ok(stdout.includes(`"id":${rawNumber(String(highest)).rawJSON}`))
})

test('store list --search: by name, merchant or id', async () => {
  const found = async (text: string) =>
    (await cli.json<{ id: number }[]>(['store', 'list', '--search', text])).map(({ id }) => id)
  assert.deepEqual(await found('LONGER'), [2])
  assert.deepEqual(await found('ada@'), [1])
  assert.deepEqual(await found('17'), [
    17,
    ...many.map(Number).filter(id => id > 17 && `${id}`.includes('17')),
  ])
  assert.deepEqual(await found('nothing'), [])
})

test('store list: a table with one header, whose control characters are escaped', async () => {
  const lines = (await cli.run(['store', 'list'])).stdout.trimEnd().split('\n')
  assert.equal(lines.length, ids.length + 1)
  assert.match(lines[0] ?? '', /^id +name +timezone +merchant$/)
  assert.match(lines[1] ?? '', /^1 +Shop 1 +Australia\/Sydney +ada@example\.com$/)
  assert.ok(lines[2]?.includes('A longer name\\u{202e} than others'))
  assert.equal(lines[2]?.indexOf('Australia'), lines[0]?.indexOf('timezone'))
  assert.ok(lines.at(-1)?.startsWith(`${highest}  Shop`))
})
