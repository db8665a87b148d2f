import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type ImportState, importRecords, newImport } from '../../src/cli/import/records.ts'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import { createIngest, type Ingest } from '../../src/ingest/ingest.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { badRecords } from '../helpers/bad-records.ts'
import { byTest } from '../helpers/by.ts'
import { createCli } from '../helpers/cli.ts'
import { beforeDatabase, emptyDatabase } from '../helpers/engine.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { openStorage } from '../helpers/storage.ts'

const cli = await createCli()
after(() => cli.remove())

const ndjson = (...records: (object | string)[]) =>
  records.map(record => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('')

/** Of nobody, because a merchant without an account is a warning. */
const store = (overrides: object = {}) => sampleStore({ merchant: null, ...overrides })

const orders = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => sampleOrder({ id: `O-${from + i}` }))

const items = (count: number) => Array.from({ length: count }, (_, i) => sampleItem({ id: 1000 + i }))

/** What is said of a long import while it goes on; on a busy machine any may be long. */
const withoutProgress = (stderr: string) => stderr.replace(/^import: [^\n]*\n/gm, '')

function file(name: string, content: string | Buffer): string {
  const path = join(cli.folder, name)
  writeFileSync(path, content)
  return path
}

describe('tillgate import', () => {
  test('import: a file’s records are stored and counted; again, all are unchanged', async () => {
    const path = file('all.ndjson', ndjson(store(), sampleItem(), ...orders(50)))
    assert.deepEqual(await cli.json(['import', path]), {
      stores: 1,
      items: 1,
      orders: 50,
      unchanged: 0,
      stale: 0,
    })
    assert.deepEqual(await cli.json(['import', path]), {
      stores: 0,
      items: 0,
      orders: 0,
      unchanged: 52,
      stale: 0,
    })
  })

  test('import: prints sentences to a person', async () => {
    const { stdout, stderr, code } = await cli.run(['import', file('again.ndjson', ndjson(store()))])
    assert.deepEqual(
      [stdout, withoutProgress(stderr), code],
      ['0 stores, 0 items and 0 orders; 1 unchanged, 0 stale\n', '', 0],
    )
  })

  test('import: stale records are counted and named, a merchant without an account is a warning, a time ahead is refused', async () => {
    const item = (hour: number) => sampleItem({ id: 7, updated_at: `2026-11-01 0${hour}:00:00` })
    const path = file('stale.ndjson', ndjson(sampleStore({ merchant: 'x@example.com' }), item(9), item(8)))
    const { code, stdout, stderr } = await cli.run(['import', path, '--json'])
    const { stale_records, warnings, ...counts } = JSON.parse(stdout)
    assert.deepEqual([code, counts], [0, { stores: 1, items: 1, orders: 0, unchanged: 0, stale: 1 }])
    const times = { updated_at: '2026-11-01 08:00:00', stored_updated_at: '2026-11-01 09:00:00' }
    assert.deepEqual(stale_records, [{ line: 3, kind: 'item', id: 7, ...times }])
    assert.deepEqual([warnings.length, warnings[0].code], [1, 'merchant_unknown'])
    assert.match(withoutProgress(stderr), /^line 1: merchant is x@example.com; no merchant has this email/)
    const ahead = file('ahead.ndjson', ndjson(store(), sampleItem({ updated_at: '2999-01-01 00:00:00' })))
    for (const args of [[], ['--dry-run']]) {
      const refused = await cli.run(['import', ahead, ...args])
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /line 2: updated_at is 2999-01-01 00:00:00; it must be at most 24 hours/)
    }
  })

  test('import: a .gz file and standard input are read too', async () => {
    const path = file('more.ndjson.gz', gzipSync(ndjson(...orders(10, 100))))
    assert.deepEqual(await cli.json(['import', path]), {
      stores: 0,
      items: 0,
      orders: 10,
      unchanged: 0,
      stale: 0,
    })
    const stdin = ndjson(...orders(12, 100))
    assert.deepEqual(await cli.json(['import', '-'], { stdin }), {
      stores: 0,
      items: 0,
      orders: 2,
      unchanged: 10,
      stale: 0,
    })
  })

  test('import: a bad batch stops it; what came before is stored and named, the batch is not', async () => {
    const records: (object | string)[] = items(4500)
    records[4100] = sampleOrder({ status: 1 })
    records[4200] = 'nonsense'
    const path = file('bad.ndjson', ndjson(...records))
    const details = [
      'line 4101: status is 1; it must be one of 2, 3, 11',
      'line 4201: the record is not JSON: "nonsense"',
    ]
    const message =
      '2 lines cannot be stored, so nothing from that batch was stored; lines 1 to 4000 are stored'
    const { stdout, stderr, code } = await cli.run(['import', path])
    assert.deepEqual([stdout, code], ['', 1])
    assert.deepEqual(withoutProgress(stderr).split('\n'), [...details, `tillgate: ${message}`, ''])
    const json = await cli.run(['import', path, '--json'])
    assert.deepEqual([json.stdout, json.code], ['', 1])
    const error = { code: 'failed', message, details }
    assert.deepEqual(JSON.parse(withoutProgress(json.stderr)), { error })
    records[4100] = sampleItem({ id: 1 })
    records[4200] = sampleItem({ id: 2 })
    const mended = file('bad.ndjson', ndjson(...records))
    assert.deepEqual(await cli.json(['import', mended]), {
      stores: 0,
      items: 500,
      orders: 0,
      unchanged: 4000,
      stale: 0,
    })
  })

  test('import: the first 20 problems are named and the rest is counted', async () => {
    const { stderr, code } = await cli.run(['import', '-'], { stdin: 'x\n'.repeat(50) })
    const lines = stderr.trimEnd().split('\n')
    assert.equal(lines[19], 'line 20: the record is not JSON: "x"')
    assert.deepEqual(lines.slice(20), [
      'and 30 more problems',
      'tillgate: 50 lines cannot be stored, so nothing from that batch was stored; no lines are stored',
    ])
    assert.equal(code, 1)
  })

  test('import --dry-run: every problem is named, and nothing is stored', async () => {
    const stdin = ndjson(
      store({ id: 2 }),
      ...Array<string>(30).fill('x'),
      sampleItem({ store_id: 2, price: '1' }),
    )
    const { stdout, stderr, code } = await cli.run(['import', '-', '--dry-run'], { stdin })
    assert.deepEqual([stdout, code, stderr.trimEnd().split('\n').length], ['', 1, 32])
    assert.match(
      stderr,
      /\nline 32: price is "1"; it must be .*\ntillgate: 31 lines cannot be stored; this was a dry run, so/,
    )
    const json = await cli.run(['import', '-', '--dry-run', '--json'], { stdin })
    const { error } = JSON.parse(json.stderr) as { error: { message: string; details: string[] } }
    assert.match(error.message, /^31 lines cannot be stored/)
    assert.equal(error.details.length, 20)
  })

  test('import --dry-run: a good file is counted, and nothing is stored', async () => {
    const stdin = ndjson(store({ id: 2 }), sampleOrder({ store_id: 2 }), '', sampleItem({ store_id: 2 }))
    const counted = await cli.json(['import', '-', '--dry-run'], { stdin })
    assert.deepEqual(counted, { stores: 1, items: 1, orders: 1, unchanged: 0, stale: 0 })
    assert.deepEqual(await cli.json(['import', '-'], { stdin }), {
      stores: 1,
      items: 1,
      orders: 1,
      unchanged: 0,
      stale: 0,
    })
  })

  test('import: Ctrl-C stores whole batches, says how far it got, and the next run carries on', async () => {
    const child = cli.start(['import', '-', '--json'])
    let stderr = ''
    let stdout = ''
    child.stderr.on('data', (piece: Buffer) => (stderr += piece))
    child.stdout.on('data', (piece: Buffer) => (stdout += piece))
    const ended = new Promise(resolve => child.on('close', resolve))
    child.stdin.on('error', () => {})
    const stdin = ndjson(store({ id: 3 }), ...items(5000).map(item => ({ ...item, store_id: 3 })))
    // A batch and a part of the next; then the input stays open, as a slow pipe's does.
    child.stdin.write(stdin)
    const storage = await openStorage(cli.database)
    while (!(await storage.stores.exists(3n))) await new Promise(resolve => setTimeout(resolve, 20))
    await storage.close()
    child.kill('SIGINT')
    assert.equal(await ended, 130)
    assert.equal(
      withoutProgress(stderr),
      'stopped; lines 1 to 4000 are stored; run the same command again to continue\n',
    )
    assert.deepEqual(JSON.parse(stdout), { stores: 1, items: 3999, orders: 0, unchanged: 0, stale: 0 })
    assert.deepEqual(await cli.json(['import', '-'], { stdin }), {
      stores: 0,
      items: 1001,
      orders: 0,
      unchanged: 4000,
      stale: 0,
    })
  })

  const failures: { name: string; args: string[]; message: RegExp }[] = [
    {
      name: 'a file that is not there',
      args: ['nowhere.ndjson'],
      message: /^tillgate: there is no file nowhere\.ndjson\n$/,
    },
    { name: 'a folder', args: ['.'], message: /^tillgate: \. is a folder, not a file\n$/ },
    {
      name: 'a .gz file that is none',
      args: ['plain.gz'],
      message: /^tillgate: incorrect header check; no lines are stored\n$/,
    },
    {
      name: 'a .gz file that ends early',
      args: ['short.gz'],
      message: /^tillgate: unexpected end of file; no lines are stored\n$/,
    },
  ]
  before(() => {
    file('plain.gz', ndjson(store()))
    file('short.gz', gzipSync(ndjson(store())).subarray(0, -9))
  })
  for (const { name, args, message } of failures) {
    test(`import: ${name} is reported in one line`, async () => {
      const { code, stderr } = await cli.run(['import', ...args])
      assert.match(stderr, message)
      assert.equal(code, 1)
    })
  }
})

describe('import: every rule of a record', () => {
  let storage: Storage
  before(async () => {
    storage = await openStorage(await emptyDatabase())
  })
  after(() => storage.close())

  async function load(
    content: string | Buffer,
    ingest = createIngest(createRecordWriter({ storage })),
    pieceSize = Number.POSITIVE_INFINITY,
  ): Promise<ImportState> {
    const state = newImport()
    const pieces = (async function* () {
      const all = Buffer.from(content)
      for (let at = 0; at < all.length; at += pieceSize) yield all.subarray(at, at + pieceSize)
    })()
    const { signal } = new AbortController()
    await importRecords({ pieces, ingest, by: byTest, state, signal, onBatch: () => {} })
    return state
  }

  for (const { name, record, problems } of badRecords) {
    test(`import: ${name} is refused by its line, and nothing is stored`, {
      skip: beforeDatabase,
    }, async () => {
      const { bad, stored_through } = await load(ndjson(store({ id: 404 }), '', record))
      assert.deepEqual(
        bad?.details.map(({ code, message }) => `${code} ${message}`),
        problems,
      )
      assert.equal(stored_through, 0)
      assert.equal(await storage.stores.exists(404n), false)
    })
  }

  test('import: bytes that are not UTF-8 are refused by their line', async () => {
    const { bad } = await load(Buffer.from([0x0a, 0xff, 0x0a]))
    assert.deepEqual(
      bad?.details.map(({ message }) => message),
      ['line 2: the record is not UTF-8 text'],
    )
  })

  test('import: of an endless line no more is kept than says that it is too long', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x')
    const taken: number[] = []
    const ingest = createIngest(createRecordWriter({ storage }))
    const counting: Ingest = {
      ...ingest,
      open(options) {
        const batch = ingest.open(options)
        return { ...batch, push: part => (taken.push(part.length), batch.push(part)) }
      },
    }
    const { bad } = await load(
      Buffer.concat([...Array.from({ length: 64 }, () => piece), Buffer.from('\n{}\n')]),
      counting,
      piece.length,
    )
    assert.deepEqual(
      bad?.details.map(({ line }) => line),
      [1, 2],
    )
    assert.ok(taken.reduce((sum, size) => sum + size, 0) < 2 * 1024 * 1024)
  })

  test('import: a batch frees its memory when it is stored', async () => {
    const ingest = createIngest(createRecordWriter({ storage }))
    const inMemory = new Set<number>()
    let most = 0
    let opened = 0
    const counting: Ingest = {
      ...ingest,
      open(options) {
        const batch = ingest.open(options)
        const number = opened++
        most = Math.max(most, inMemory.add(number).size)
        const abandon = () => (inMemory.delete(number), batch.abandon())
        return { ...batch, abandon }
      },
    }
    const blanks = '\n'.repeat(4000)
    await load(ndjson(store()) + blanks.repeat(5), counting)
    assert.ok(most <= 2, `${most} of ${opened} batches were in memory`)
    assert.equal(inMemory.size, 0)
  })

  test('import: an email without an account is a warning once, however many batches have it', async () => {
    const merchants = ['nobody@example.com', 'nobody@example.com', 'no.one@example.com']
    const batches = merchants.map(
      (merchant, i) => ndjson(store({ id: 410 + i, merchant })) + '\n'.repeat(4000),
    )
    const { warnings } = await load(batches.join(''))
    assert.deepEqual(
      warnings.map(({ line, message }) => [line, message.split(';')[0]]),
      [
        [1, 'line 1: merchant is nobody@example.com'],
        [8003, 'line 8003: merchant is no.one@example.com'],
      ],
    )
  })

  test('import: a fault of the database is no bad record', async () => {
    const ingest = createIngest(createRecordWriter({ storage }))
    const commit = () => Promise.reject(new Error('disk full'))
    const broken: Ingest = { ...ingest, open: options => ({ ...ingest.open(options), commit }) }
    await assert.rejects(load(ndjson(store()), broken), /^Error: disk full$/)
  })
})
