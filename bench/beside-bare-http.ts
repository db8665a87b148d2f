import type { Bench } from './bench.ts'
import { type Served, sizeOf } from './load/client.ts'
import { compare } from './report/compare.ts'
import type { Request } from './load/load.ts'
import { startServer } from './process.ts'
import { loadText, type Row } from './row.ts'

/** A row that compares requests to Tillgate with a bare node:http server that sends the same number of bytes from memory. */
export async function besideBareHttp(
  bench: Bench,
  server: Served,
  requests: readonly Request[],
  row: Pick<Row, 'id' | 'name' | 'aim'>,
): Promise<Row> {
  const size = await sizeOf(server.base, requests)
  const bare = await startServer('./bare/http.ts', [String(size)])
  try {
    const { ours, limit, ratio, cpu_ratio } = await compare(
      { base: server.base, requests, pids: server.pids },
      { base: bare.base, requests, pids: [bare.pid] },
      bench,
    )
    return {
      ...row,
      name: `${row.name} (${Math.round(size / 1000).toLocaleString('en')} KB)`,
      ratio,
      memory_mb: server.peak(),
      figure: loadText(ours),
      limit: `${loadText(limit)} by bare node:http`,
      measured: { size, ours, limit, cpu_ratio },
    }
  } finally {
    bare.stop()
  }
}
