import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Held } from './waiting-clients.ts'

/** Connections a second: all are open before the first request has waited for 30 s, and fewer than an overload. */
const perSecond = 500

// Plain sockets: 10,000 HTTP clients would take more memory and time than the server that is measured.
process.once('message', async ({ base, requests }: Held) => {
  const { hostname, port } = new URL(base)
  let problem: string | null = null

  async function open({ path, authorization }: Held['requests'][number]): Promise<void> {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => {})
    await once(socket, 'connect')
    const text = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\n\r\n`
    socket.write(text)
    socket.on('data', data => {
      // An answer without changes fits into one segment.
      const status = data.toString('latin1', 9, 12)
      if (status === '200') socket.write(text)
      // With jitter, as many clients must.
      else if (status === '503') setTimeout(() => socket.write(text), 1000 + 4000 * Math.random())
      else problem ??= data.toString()
    })
  }

  const began = performance.now()
  for (const [i, request] of requests.entries()) {
    await sleep(Math.max(0, began + (i / perSecond) * 1000 - performance.now()))
    void open(request)
  }
  // The last requests have arrived, and none was refused.
  setTimeout(() => process.send?.(problem), 1000)
})
