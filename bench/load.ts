import autocannon from 'autocannon'

/** What came of one stretch of load: requests and megabytes a second, and milliseconds. */
export interface Load {
  rate: number
  mb: number
  p50: number
  p99: number
}

/** Load from a thread of its own, over 16 connections. An answer that is not 200 ends the benchmark. */
export async function putUnderLoad(
  base: string,
  paths: string[],
  headers: Record<string, string>,
  seconds: number,
): Promise<Load> {
  const result = await autocannon({
    url: base,
    connections: 16,
    workers: 1,
    duration: seconds,
    requests: paths.map(path => ({ path, headers })),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} answers failed`)
  return {
    rate: result.requests.average,
    mb: result.throughput.average / 1_000_000,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}
