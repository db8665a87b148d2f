import { connect } from 'node:net'

/** Requests a page and reads nothing of it. Returns the seconds until the server closes the connection. */
export function readNothing(base: string, path: string, token: string): Promise<number> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    let began = 0
    const socket = connect(Number(port), hostname, () => {
      began = performance.now()
      // A short answer, such as a rejection, then closes the connection by itself.
      const headers = `Host: a\r\nConnection: close\r\nAuthorization: Bearer ${token}`
      socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    })
    socket.pause()
    socket.on('error', error => began === 0 && reject(error))
    // A socket that is not read notices its end only on a write.
    const probe = setInterval(() => socket.write('\r\n'), 250)
    const tooLong = setTimeout(() => socket.destroy(), 30_000)
    socket.on('close', () => {
      clearInterval(probe)
      clearTimeout(tooLong)
      resolve((performance.now() - began) / 1000)
    })
  })
}
