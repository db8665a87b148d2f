import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from './load.ts'

/** Connections that each request a page and read it slowly until they are stopped. */
export async function startSlowReaders(base: string, requests: readonly Request[], bytesPerSecond: number) {
  const { hostname, port } = new URL(base)
  let stopped = false
  let cut = 0
  const sockets = await Promise.all(
    requests.map(async ({ path, headers = {} }) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.pause()
      await once(socket, 'connect')
      const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${fields.join('')}\r\n`)
      socket.on('error', () => {})
      socket.on('close', () => {
        if (!stopped) cut++
      })
      return socket
    }),
  )
  const reading = Promise.all(sockets.map(socket => readSlowly(socket, bytesPerSecond, () => stopped)))
  return {
    cut: () => cut,
    async stop(): Promise<void> {
      stopped = true
      await reading
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function readSlowly(socket: Socket, bytesPerSecond: number, stopped: () => boolean): Promise<void> {
  const turns = 4
  while (!stopped() && !socket.destroyed) {
    // A paused socket has at most one piece read ahead.
    let left = bytesPerSecond / turns
    for (let piece = socket.read(); piece !== null && left > 0; piece = socket.read()) left -= piece.length
    await sleep(1000 / turns)
  }
}
