import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Requests that never become complete: what each sends at first, and every second after that. */
const halfOpenKinds = {
  silence: { begins: '', drips: '' },
  'half of the headers': { begins: 'GET /integration/v1/stores HTTP/1.1\r\nHost: a\r\nX-Half: ', drips: '' },
  'headers byte by byte': { begins: 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ', drips: 'a' },
  'half of a body': {
    begins:
      'POST /auth/v2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
      'Content-Length: 1000\r\n\r\ngrant_type=',
    drips: '',
  },
  'a body byte by byte': {
    begins:
      'POST /auth/v2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
      'Content-Length: 1000\r\n\r\ngrant_type=',
    drips: 'a',
  },
} as const

export type HalfOpenKind = keyof typeof halfOpenKinds

/** Opens `count` of these connections; returns, for each kind, the seconds until the server closed the last of them. */
export async function halfOpen(base: string, count: number): Promise<Record<HalfOpenKind, number>> {
  const kinds = Object.keys(halfOpenKinds) as HalfOpenKind[]
  const worst = Object.fromEntries(kinds.map(kind => [kind, 0])) as Record<HalfOpenKind, number>
  const all: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    const kind = kinds[i % kinds.length] as HalfOpenKind
    all.push(
      hold(base, halfOpenKinds[kind]).then(seconds => {
        worst[kind] = Math.max(worst[kind], seconds)
      }),
    )
    // In groups, so that the accept queue does not overflow.
    if (i % 100 === 99) await sleep(10)
  }
  await Promise.all(all)
  return worst
}

/** Seconds from the connection's start until the server closes it. */
function hold(base: string, { begins, drips }: { begins: string; drips: string }): Promise<number> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    let began = 0
    const socket: Socket = connect(Number(port), hostname, () => {
      began = performance.now()
      socket.write(begins)
    })
    const drip = setInterval(() => drips !== '' && socket.writable && socket.write(drips), 1000)
    const tooLong = setTimeout(
      () => socket.destroy(new Error('the server did not close the connection')),
      30_000,
    )
    socket.resume()
    socket.on('error', error => began === 0 && reject(error))
    socket.on('close', () => {
      clearInterval(drip)
      clearTimeout(tooLong)
      resolve((performance.now() - began) / 1000)
    })
  })
}
