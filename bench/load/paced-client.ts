import { Agent, request } from 'node:http'
import type { Pace, Paced } from './paced.ts'
import { percentiles } from '../row.ts'

// Open-loop load: sends requests at an even pace and measures each from the moment at which it was due, so that a stall
// of the server counts for every request it delays (coordinated omission).
process.once('message', async ({ base, requests, rate, seconds }: Pace) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const { hostname, port } = new URL(base)
  const latencies: number[] = []
  let failed = 0

  function send(number: number, due: number): Promise<void> {
    const { path, headers = {} } = requests[number % requests.length] as Pace['requests'][number]
    return new Promise(resolve => {
      const sent = request({ hostname, port, path, headers, agent }, response => {
        if (response.statusCode !== 200) failed++
        response.resume().on('close', () => {
          latencies.push(performance.now() - due)
          resolve()
        })
      })
      sent.on('error', () => {
        failed++
        resolve()
      })
      sent.end()
    })
  }

  const began = performance.now()
  const open: Promise<void>[] = []
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const now = performance.now()
      while (open.length < rate * seconds && began + (open.length / rate) * 1000 <= now)
        open.push(send(open.length, began + (open.length / rate) * 1000))
      if (open.length < rate * seconds) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  await Promise.all(open)
  const result: Paced = { ...percentiles(latencies), failed, sent: open.length }
  process.send?.(result, () => process.exit(0))
})
