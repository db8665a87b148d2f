import { Agent, get } from 'node:http'
import type { Bench, Rows } from '../bench.ts'
import { besideBareHttp } from '../beside-bare-http.ts'
import type { Data } from '../data.ts'
import { usual } from '../data.ts'
import { datetime, orderRequests, type Served, twoDays, withReader } from '../load/client.ts'
import type { Request } from '../load/load.ts'
import { startServer } from '../process.ts'
import { compare } from '../report/compare.ts'
import { atLeast, loadText, median, type Row } from '../row.ts'
import { withTags } from './not-modified.ts'

type Headers = { authorization: string }

/** A client that follows `changes`: its first copy, its pages, and its polls that find nothing. */
export const changes: Rows = async function* (bench) {
  yield* await firstCopy(bench)
  const data = await bench.data(usual(bench.orders))
  yield await withReader(data, (server, headers) => besideOrders(bench, data, server, headers))
  yield* await withReader(data, (server, headers) => nothingNew(bench, data, server, headers))
}

/** Every store of a year from its beginning, one request after the other. */
async function firstCopy(bench: Bench): Promise<Row[]> {
  const data = await bench.data({ ...usual(bench.orders), days: 365 })
  return withReader(data, async ({ base, peak }, headers) => {
    const bySeq: Copy[] = []
    const bare: Copy[] = []
    for (let round = 0; round <= 3; round++) {
      const copy = await copyByChanges(base, data, headers)
      const size = Math.round(copy.bytes / copy.requests)
      const server = await startServer('./bare/http.ts', [String(size)])
      try {
        const same = await copyPages(server.base, copy.requests)
        if (round === 0) continue // warm-up
        bySeq.push(copy)
        bare.push(same)
      } finally {
        server.stop()
      }
    }
    const windows = await copyByWindows(base, data, headers)
    const middle = middleOf(bySeq)
    const what = `first copy of ${data.orders.toLocaleString('en')} orders in ${data.stores} stores`
    return [
      {
        id: 'first-copy',
        name: `${what} by changes, one request at a time`,
        ratio: median(bySeq.map((copy, i) => copy.seconds / (bare[i] as Copy).seconds)),
        aim: null,
        memory_mb: peak(),
        figure: text(middle),
        limit: `${text(middleOf(bare))} by bare node:http; the ratio is of the times`,
        measured: { bySeq, bare },
      },
      {
        id: 'first-copy-windows',
        name: 'the same orders of a year by two-day windows',
        ratio: windows.seconds / middle.seconds,
        aim: null,
        memory_mb: null,
        figure: text(windows),
        limit: `${text(middle)} by changes; the ratio is of the times`,
        measured: { windows, middle },
      },
    ]
  })
}

interface Copy {
  requests: number
  seconds: number
  bytes: number
}

const text = ({ requests, seconds, bytes }: Copy): string =>
  `${seconds.toFixed(2)} s, ${requests.toLocaleString('en')} requests, ${Math.round(bytes / 1e6)} MB`

const middleOf = (copies: readonly Copy[]): Copy =>
  copies.find(({ seconds }) => seconds === median(copies.map(copy => copy.seconds))) as Copy

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** The size of an answer, and its end. */
const read = (url: string, headers: Record<string, string>): Promise<{ bytes: number; end: string }> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers }, response => {
      let bytes = 0
      let end = Buffer.alloc(0)
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        end = Buffer.concat([end.subarray(-100), piece.subarray(-100)]).subarray(-100)
      })
      response.on('end', () =>
        response.statusCode === 200 ? resolve({ bytes, end: end.toString() }) : reject(new Error(url)),
      )
    }).on('error', reject)
  })

async function copying(
  work: (read: (path: string) => Promise<string>) => Promise<void>,
  base: string,
  headers = {},
) {
  const copy: Copy = { requests: 0, seconds: 0, bytes: 0 }
  const began = performance.now()
  await work(async path => {
    const { bytes, end } = await read(base + path, headers)
    copy.requests++
    copy.bytes += bytes
    return end
  })
  copy.seconds = (performance.now() - began) / 1000
  return copy
}

const copyPages = (base: string, requests: number): Promise<Copy> =>
  copying(async ask => {
    for (let i = 0; i < requests; i++) await ask('/')
  }, base)

async function copyByChanges(base: string, { store_ids }: Data, headers: Headers): Promise<Copy> {
  const { feed } = await positionOf(base, store_ids[0] as number, headers)
  return copying(
    async ask => {
      for (const store_id of store_ids) {
        for (let after = 0, more = true; more; ) {
          const end = await ask(
            `/integration/v1/changes?store_id=${store_id}&kinds=order&count=2000&after=${after}&feed=${feed}`,
          )
          const found = /"next":(\d+),"more":(true|false)\}\}$/.exec(end)
          if (!found) throw new Error(end)
          after = Number(found[1])
          more = found[2] === 'true'
        }
      }
    },
    base,
    headers,
  )
}

/** As an app does without `changes`: it asks for another page while a page is full. */
const copyByWindows = (base: string, { store_ids, days, end }: Data, headers: Headers): Promise<Copy> =>
  copying(
    async ask => {
      for (const store_id of store_ids) {
        for (let start = end - days * 86_400; start <= end; start += twoDays) {
          const window = { start_date: datetime(start), end_date: datetime(start + twoDays - 1) }
          const query = new URLSearchParams({ store_id: String(store_id), ...window, count: '2000' })
          await ask(`/integration/v1/orders?${query}`)
        }
      }
    },
    base,
    headers,
  )

/** Where a client is that has read a store. */
async function positionOf(
  base: string,
  store_id: number,
  headers: Headers,
): Promise<{ feed: string; seqs: number[] }> {
  const seqs: number[] = []
  let data = { feed: '', next: 0, more: true }
  while (data.more) {
    const after = data.next === 0 ? '' : `&after=${data.next}&feed=${data.feed}`
    const answer = await fetch(
      `${base}/integration/v1/changes?store_id=${store_id}&kinds=order&count=100${after}`,
      { headers },
    )
    data = ((await answer.json()) as { data: typeof data }).data
    seqs.push(data.next)
  }
  return { feed: data.feed, seqs }
}

/** Pages of changes beside pages of the order list, from the same server. */
async function besideOrders(
  bench: Bench,
  data: Data,
  { base, pids, peak }: Served,
  headers: Headers,
): Promise<Row> {
  const requests: Request[] = []
  for (const store_id of data.store_ids) {
    const { feed, seqs } = await positionOf(base, store_id, headers)
    // The last pages are not full.
    for (const after of seqs.slice(0, -11))
      requests.push({
        path: `/integration/v1/changes?store_id=${store_id}&kinds=order&count=1000&after=${after}&feed=${feed}`,
        headers,
      })
  }
  requests.sort(() => Math.random() - 0.5)
  const { ours, limit } = await compare(
    { base, requests, pids },
    { base, requests: orderRequests(data, 1000, headers), pids },
    bench,
  )
  return {
    id: 'changes-page',
    name: 'page of 1000 changes, random store and position',
    ratio: ours.mb / limit.mb,
    aim: atLeast(1),
    memory_mb: peak(),
    figure: loadText(ours),
    limit: `${loadText(limit)} for pages of 1000 orders from the same server; the ratio is of the MB/s`,
    measured: { ours, limit },
  }
}

/** A poll that finds nothing: beside a bare server, and beside an unchanged page of orders. */
async function nothingNew(bench: Bench, data: Data, server: Served, headers: Headers): Promise<Row[]> {
  const { base, pids, peak } = server
  const requests: Request[] = []
  for (const store_id of data.store_ids) {
    const { feed, seqs } = await positionOf(base, store_id, headers)
    requests.push({
      path: `/integration/v1/changes?store_id=${store_id}&kinds=order&after=${seqs.at(-1)}&feed=${feed}`,
      headers,
    })
  }
  const beside = await besideBareHttp(bench, server, requests, {
    id: 'changes-nothing-new',
    name: 'changes with nothing new',
    aim: null,
  })
  const unchanged = await withTags(base, orderRequests(data, 100, headers).slice(0, 500))
  const { ours, limit, ratio } = await compare(
    { base, requests, pids },
    { base, requests: unchanged, pids },
    bench,
  )
  return [
    beside,
    {
      id: 'changes-nothing-new-304',
      name: 'changes with nothing new, beside an unchanged page of orders',
      ratio,
      aim: null,
      memory_mb: peak(),
      figure: loadText(ours),
      limit: `${loadText(limit)} by If-None-Match and 304`,
      measured: { ours, limit },
    },
  ]
}
