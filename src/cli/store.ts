import type { Command } from 'commander'
import { rawNumber } from '../lib/exact-json.ts'
import { maxInt64, minInt64 } from '../lib/int64.ts'
import type { FoundStore, Storage } from '../storage/port/index.ts'
import { withStorage } from './shared/command.ts'
import { printAll } from './shared/output.ts'
import { createTable } from './shared/table.ts'

interface ListOptions {
  search?: string
  json?: boolean
}

export function registerStore(program: Command): void {
  const store = program.command('store').description('show the stores that the platform has sent')

  store
    .command('list')
    .description('list the stores, by id')
    .option(
      '--search <text>',
      'only stores with this text in their name or their merchant’s email, or with this id',
    )
    .option('--json', 'print the stores as a JSON array')
    .action(({ search = '', json }: ListOptions) =>
      withStorage(storage =>
        printAll(json ? asJson(pages(storage, search)) : asText(pages(storage, search))),
      ),
    )
}

/** Rows per query, and in memory at a time. */
const chunk = 1000

async function* pages({ browse }: Storage, text: string): AsyncGenerator<FoundStore[]> {
  for (let from = minInt64; from <= maxInt64; ) {
    const rows = await browse.storesFrom(from, { text, limit: chunk })
    if (rows.length > 0) yield rows
    if (rows.length < chunk) return
    from = (rows.at(-1)?.id ?? maxInt64) + 1n
  }
}

async function* asJson(pages: AsyncIterable<FoundStore[]>): AsyncGenerator<string> {
  let before = '['
  for await (const rows of pages) {
    yield `${before}${rows.map(row => JSON.stringify({ ...row, id: rawNumber(String(row.id)) })).join(',')}`
    before = ','
  }
  yield before === '[' ? '[]\n' : ']\n'
}

async function* asText(pages: AsyncIterable<FoundStore[]>): AsyncGenerator<string> {
  const table = createTable()
  let empty = true
  for await (const rows of pages) {
    yield `${table(rows.map(({ id, merchant, ...rest }) => ({ id: String(id), ...rest, merchant: merchant ?? '' })))}\n`
    empty = false
  }
  if (empty) yield 'no stores\n'
}
