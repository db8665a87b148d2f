import autocannon from 'autocannon'

/** Generates load in a separate process, so that the other work of the scenario does not distort its clock. */

export interface FloodOrder {
  base: string
  requests: { method?: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string }[]
  connections: number
  /** Requests a second in total; 0: each connection sends its next request when it has an answer. */
  rate: number
  seconds: number
}

/**
 * For each status the number of answers and their milliseconds, without the first answer of each connection: that one
 * includes the time to connect, which the scenario of the connection storm measures.
 */
export interface Flood {
  seconds: number
  statuses: Record<string, { count: number; p50: number; p99: number; max: number; retry: boolean }>
  /** Failed connections, and requests without an answer in 10 s. */
  errors: number
}

process.once('message', async (order: FloodOrder) => {
  process.send?.(await flood(order))
  process.disconnect()
})

function flood({ base, requests, connections, rate, seconds }: FloodOrder): Promise<Flood> {
  const times = new Map<number, { ms: number[]; retry: boolean }>()
  const connected = new WeakSet<object>()
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const load = autocannon(
      {
        url: base,
        connections,
        duration: seconds,
        ...(rate > 0 && { overallRate: rate }),
        requests: requests.map(request => ({
          ...request,
          onResponse: (status, _body, _context, headers) => {
            if (status < 400) return
            const seen = times.get(status) ?? { ms: [], retry: true }
            times.set(status, seen)
            seen.retry &&= Object.keys(headers ?? {}).some(name => name.toLowerCase() === 'retry-after')
          },
        })),
      },
      (error, result) => {
        if (error) return reject(error)
        const statuses: Flood['statuses'] = {}
        for (const [status, { ms, retry }] of times) statuses[status] = { ...summary(ms), retry }
        resolve({
          seconds: (performance.now() - began) / 1000,
          statuses,
          errors: result.errors + result.timeouts,
        })
      },
    )
    load.on('response', (client, status, _bytes, ms) => {
      if (!connected.has(client)) return void connected.add(client)
      const seen = times.get(status) ?? { ms: [], retry: true }
      times.set(status, seen)
      seen.ms.push(ms)
    })
  })
}

function summary(ms: number[]): { count: number; p50: number; p99: number; max: number } {
  const sorted = ms.sort((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}
