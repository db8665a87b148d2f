import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Rows } from '../bench.ts'
import type { Client } from '../data.ts'
import { readyAt, tokenFor } from '../load/client.ts'
import { paced } from '../load/paced.ts'
import { startWaiting } from '../load/waiting-clients.ts'
import { cpuOf, finished, memoryOf, tillgate } from '../process.ts'
import { atMost } from '../row.ts'

const requests = 10_000
/** Requests of one token, as many as an app may hold by default. */
const perToken = 200
const memoryAim = 400
/** Of a core. */
const cpuAim = 0.05
/** Seconds, from SIGTERM to the end of the process. */
const stopAim = 2

/** Requests that wait for changes, each for a store of its own: what they cost, and what others notice. */
export const waiting: Rows = async function* (bench) {
  const { env, client } = await fill(bench)
  const server = tillgate(['serve'], env)
  const pid = server.child.pid ?? 0
  try {
    const base = await readyAt(server)
    const tokens: string[] = []
    for (let i = 0; i < requests / perToken; i++) tokens.push(`Bearer ${await tokenFor(base, client)}`)
    const others = {
      base,
      requests: [{ path: '/integration/v1/stores', headers: { authorization: tokens[0] as string } }],
      rate: 100,
      seconds: 4,
    }
    await paced({ ...others, seconds: 2 })
    const alone = await paced(others)
    const before = memoryOf(pid)
    const held = Array.from({ length: requests }, (_, i) => ({
      path: `/integration/v1/changes?store_id=${i + 1}&wait=30`,
      authorization: tokens[Math.floor(i / perToken)] as string,
    }))
    const clients = await startWaiting({ base, requests: held })
    await untilAllWait(base)
    const cpu = cpuOf([pid])
    const seconds = 4
    await sleep(seconds * 1000)
    const cores = ((cpuOf([pid]) ?? 0) - (cpu ?? 0)) / 1e6 / seconds
    const among = await paced(others)
    const memory_mb = await highestMemory(pid)
    const began = performance.now()
    server.child.kill('SIGTERM')
    const [code] = await once(server.child, 'exit')
    const stopped = (performance.now() - began) / 1000
    await clients.stop()
    if (code !== 0) throw new Error(`the server ended with exit code ${code}`)
    const time = ({ p50, p99, most }: typeof alone) =>
      `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, at most ${most.toFixed(1)} ms`
    yield {
      id: 'waiting-memory',
      name: `memory of ${requests.toLocaleString('en')} requests that wait, each for another store`,
      ratio: memory_mb / memoryAim,
      aim: atMost(1),
      memory_mb,
      figure: `${memory_mb} MB; ${(((memory_mb - (before ?? 0)) * 1024) / requests).toFixed(1)} KB a request`,
      limit: `${memoryAim} MB; ${before} MB before`,
    }
    yield {
      id: 'waiting-cpu',
      name: 'CPU time meanwhile',
      ratio: cores / cpuAim,
      aim: atMost(1),
      memory_mb: null,
      figure: `${(cores * 100).toFixed(1)} % of a core`,
      limit: `${cpuAim * 100} % of a core`,
    }
    yield {
      id: 'waiting-others',
      name: 'lists of stores of others meanwhile, 100 a second',
      ratio: among.p99 / alone.p99,
      aim: atMost(3),
      memory_mb: null,
      figure: time(among),
      limit: `${time(alone)} without the waiting requests; the ratio is of the p99`,
      measured: { among, alone },
    }
    yield {
      id: 'waiting-stop',
      name: 'stop with these requests, from SIGTERM to exit code 0',
      ratio: stopped / stopAim,
      aim: atMost(1),
      memory_mb: null,
      figure: `${stopped.toFixed(2)} s`,
      limit: `${stopAim} s: the requests end within one, so that clients do not all return at once`,
    }
  } finally {
    server.child.kill('SIGKILL')
  }
}

/** Over more than 30 s, in which each request is answered and sent again: what it leaves behind is collected late. */
async function highestMemory(pid: number): Promise<number> {
  let highest = 0
  for (let second = 0; second < 40; second++) {
    highest = Math.max(highest, memoryOf(pid) ?? 0)
    await sleep(1000)
  }
  return highest
}

async function fill({ engine }: Bench) {
  const env = {
    TILLGATE_DATABASE: await engine.empty('waiting'),
    PORT: '0',
    TILLGATE_MAX_WAITING: String(requests),
    TILLGATE_MAX_CONNECTIONS: String(requests + 1000),
  }
  const ids = Array.from({ length: requests }, (_, i) => i + 1)
  const importing = tillgate(['import', '-', '--json'], env, 'pipe')
  const stores = ids.map(id => ({ kind: 'store', id, name: `Store ${id}`, timezone: 'Australia/Sydney' }))
  ;(importing.child.stdin as Writable).end(stores.map(store => `${JSON.stringify(store)}\n`).join(''))
  await finished(importing)
  const created = await finished(tillgate(['app', 'create', '--name', 'Reader', '--json'], env))
  const client = JSON.parse(created) as Client
  const authorize = ['app', 'authorize', client.client_id, '--json', '--store', ...ids.map(String)]
  await finished(tillgate(authorize, env))
  await engine.settle(env.TILLGATE_DATABASE)
  return { env, client }
}

/** Nearly all: those whose 30 s are over ask again, and are read meanwhile. */
async function untilAllWait(base: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const text = await (await fetch(`${base}/metrics`)).text()
    const count = Number(/^tillgate_waiting_requests (\d+)/m.exec(text)?.[1])
    if (count >= 0.99 * requests) return
    if (attempt === 120) throw new Error(`${count} requests wait, not ${requests}`)
    await sleep(500)
  }
}
