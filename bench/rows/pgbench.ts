import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pageSql } from '../../src/storage/postgres/lists/list-sql.ts'
import type { Bench, Rows } from '../bench.ts'
import { orderRequests, twoDays, withReader } from '../load/client.ts'
import { type Data, usual } from '../data.ts'
import { connections, putUnderLoad } from '../load/load.ts'
import { loadText, median, perSecond } from '../row.ts'

const run = promisify(execFile)

/** The page of 100 compared with pgbench running the same statement: PostgreSQL's own limit. */
export const pgbench: Rows = async function* (bench) {
  if (bench.engine.name !== 'postgres') return
  const program = findPgbench()
  if (program === null) {
    console.log('pgbench was not found, on the PATH or in /usr/lib/postgresql: its row is left out\n')
    return
  }
  const data = await bench.data(usual(bench.orders))
  const script = writeScript(bench, data)
  yield await withReader(data, async ({ base, pids, peak }, headers) => {
    const requests = orderRequests(data, 100, headers)
    await putUnderLoad({ base, requests, pids }, 2)
    const turns: { tps: number; ours: Awaited<ReturnType<typeof putUnderLoad>> }[] = []
    for (let round = 0; round < bench.rounds; round++) {
      const tps = await transactions(program, script, data, bench.seconds)
      turns.push({ tps, ours: await putUnderLoad({ base, requests, pids }, bench.seconds) })
    }
    const tps = median(turns.map(turn => turn.tps))
    return {
      id: 'pgbench',
      name: 'orders page of 100 beside the same statement by pgbench',
      aim: null,
      ratio: median(turns.map(turn => turn.ours.rate / turn.tps)),
      memory_mb: peak(),
      figure: loadText(turns[0]?.ours as (typeof turns)[number]['ours']),
      limit: `${perSecond(tps, 'statements')} by pgbench, ${connections} clients, prepared`,
      measured: { tps, ours: turns.map(turn => turn.ours) },
    }
  })
}

/** The server's statement for facts and page. */
function writeScript({ folder }: Bench, { store_ids, days, end, reader }: Data): string {
  const file = join(folder, 'page.sql')
  const values: Record<string, string> = {
    $1: `'${reader.client_id}'`,
    $2: 'null',
    $3: `'none'`,
    $4: ':store',
    $5: 'null',
    $6: '0',
    $7: '100',
    $8: `:start + ${twoDays}`,
    $9: ':start',
    $10: `''`,
  }
  const sql = pageSql({ table: 'orders', order: ['created_at', 'id'], version: 'orders_version' })
  const statement = sql.replace(/\$\d+/g, name => values[name] ?? name).replaceAll(/\s+/g, ' ')
  writeFileSync(
    file,
    `\\set store random(${store_ids[0]}, ${store_ids.at(-1)})
\\set start ${end} - ${2 * 86_400} - random(0, ${Math.floor((days - 4) * 86_400)})
${statement};\n`,
  )
  return file
}

async function transactions(program: string, script: string, data: Data, seconds: number): Promise<number> {
  const options = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(connections),
    '-j',
    '1',
    '-T',
    String(Math.ceil(seconds)),
  ]
  const { stdout } = await run(program, [...options, '-f', script, data.env.TILLGATE_DATABASE])
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

/** On the PATH, or in the directory of Debian's package. */
function findPgbench(): string | null {
  const folders = (process.env['PATH'] ?? '').split(':')
  const root = '/usr/lib/postgresql'
  if (existsSync(root))
    folders.push(
      ...readdirSync(root)
        .toSorted()
        .map(version => join(root, version, 'bin')),
    )
  return folders.map(folder => join(folder, 'pgbench')).findLast(file => existsSync(file)) ?? null
}
