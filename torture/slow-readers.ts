import { connect } from 'node:net'

/** Asks for a page and takes nothing of it. Answers the seconds until the connection is cut. */
export function readNothing(base: string, path: string, token: string): Promise<number> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    let began = 0
    const socket = connect(Number(port), hostname, () => {
      began = performance.now()
      // An answer that needs no reader, such as a refusal, ends the connection by itself.
      const headers = `Host: a\r\nConnection: close\r\nAuthorization: Bearer ${token}`
      socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    })
    socket.pause()
    socket.on('error', error => began === 0 && reject(error))
    // A socket that is not read hears of its end only when it is written to.
    const knock = setInterval(() => socket.write('\r\n'), 250)
    const tooLong = setTimeout(() => socket.destroy(), 30_000)
    socket.on('close', () => {
      clearInterval(knock)
      clearTimeout(tooLong)
      resolve((performance.now() - began) / 1000)
    })
  })
}
