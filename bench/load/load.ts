import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { cpuOf } from '../process.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('./wrk.lua', import.meta.url))

export interface Request {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** The target of the load. */
export interface Target {
  base: string
  /** Sent round-robin, so that consecutive answers differ. */
  requests: readonly Request[]
  /** The server's processes, whose CPU time is measured. */
  pids: readonly number[]
}

/** The result of one load run: requests and megabytes a second, latency, and CPU time of the server. */
export interface Load {
  rate: number
  mb: number
  p50: number
  p99: number
  cpu_us: number | null
}

export const connections = 16

const hasWrk = spawnSync('wrk', ['-v']).error === undefined

/** The load generator. Its CPU time is not counted, but on few cores it competes with the server. */
export const generator = hasWrk ? 'wrk' : 'autocannon'

/** Load from a separate process. A failed answer ends the benchmark. */
export async function putUnderLoad(target: Target, seconds: number, sockets = connections): Promise<Load> {
  const before = cpuOf(target.pids)
  const load = await (hasWrk ? byWrk : byAutocannon)(target, seconds, sockets)
  const after = cpuOf(target.pids)
  const cpu_us = before === null || after === null ? null : (after - before) / (load.rate * seconds)
  return { ...load, cpu_us }
}

type Measured = Omit<Load, 'cpu_us'>

async function byWrk({ base, requests }: Target, seconds: number, sockets: number): Promise<Measured> {
  const file = join(tmpdir(), `tillgate-bench-${process.pid}.requests`)
  writeFileSync(file, requests.map(line).join(''))
  const options = ['-t', '1', '-c', String(sockets), '-d', String(seconds), '--timeout', '10', '-s', script]
  const { stdout } = await run('wrk', [...options, base, '--', file])
  const found = /^RESULT (.*)$/m.exec(stdout)?.[1]
  if (found === undefined) throw new Error(`wrk said nothing of use:\n${stdout}`)
  const result = JSON.parse(found) as Record<'requests' | 'bytes' | 'us' | 'p50' | 'p99' | 'failed', number>
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} answers of ${base} failed`)
  return {
    rate: (result.requests / result.us) * 1e6,
    mb: result.bytes / result.us,
    p50: result.p50 / 1000,
    p99: result.p99 / 1000,
  }
}

function line({ method = 'GET', path, headers = {}, body = '' }: Request): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\u001f`)
  return `${method}\t${path}\t${fields.join('')}\t${body}\n`
}

async function byAutocannon({ base, requests }: Target, seconds: number, sockets: number): Promise<Measured> {
  const result = await autocannon({
    url: base,
    connections: sockets,
    workers: 1,
    duration: seconds,
    requests: requests.map(({ method = 'GET', path, headers = {}, body }) => ({
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
    })),
  })
  const failed = result['4xx'] + result['5xx'] + result.errors
  if (failed > 0) throw new Error(`${failed} answers of ${base} failed`)
  return {
    rate: result.requests.average,
    mb: result.throughput.average / 1_000_000,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}
