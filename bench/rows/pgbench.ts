import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterClaim, claimValues } from '../../src/storage/postgres/apps/access.ts'
import { pageStatements, pageValues } from '../../src/storage/postgres/lists/list.ts'
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

/** The server's statement for facts and page, with its values; store and window are drawn for each run. */
function writeScript({ folder }: Bench, { store_ids, days, end, reader }: Data): string {
  const file = join(folder, 'page.sql')
  const claim = { app_id: reader.client_id, authorization_id: null, jti: 'none' }
  const page = { claim, store_id: 0n, offset: 0, limit: 100, to: 0, from: [0, ''] }
  const drawn: Record<number, string> = {
    [afterClaim]: ':store',
    [afterClaim + 4]: `:start + ${twoDays}`,
    [afterClaim + 5]: ':start',
  }
  const values = [...claimValues(claim), ...pageValues(page)].map(
    (value, i) => drawn[i + 1] ?? (typeof value === 'string' ? `'${value}'` : String(value)),
  )
  const shape = {
    table: 'orders',
    order: ['created_at', 'id'],
    version: 'orders_version',
    by_day: true,
  } as const
  const statementFor = pageStatements(shape)
  const statement = statementFor(page).replace(/\$(\d+)/g, (_, place) => values[place - 1] ?? 'missing')
  writeFileSync(
    file,
    `\\set store random(${store_ids[0]}, ${store_ids.at(-1)})
\\set start ${end} - ${2 * 86_400} - random(0, ${Math.floor((days - 4) * 86_400)})
${statement.replaceAll(/\s+/g, ' ')};\n`,
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
  // As in Tillgate's sessions.
  const env = { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan -c jit=off' }
  const { stdout } = await run(program, [...options, '-f', script, data.env.TILLGATE_DATABASE], { env })
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
