import { connect, type Socket } from 'node:net'
import { StorageUnavailable } from '../../port/index.ts'
import { createMessages } from './messages.ts'
import type { Settings } from './settings.ts'

/** As much as the kernel usually has: most results come in one read. */
const readSize = 64 * 1024

/** Opens a socket that delivers whole messages to the driver. Over TLS the driver reads the decrypted bytes itself. */
export function openSocket({ address, ssl, connect_timeout }: Settings): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const messages = createMessages(bytes => socket.emit('data', bytes))
    // The server answers the question for TLS with a single byte, which is no message.
    let agreed = ssl === false
    const socket: Socket = connect({
      ...address,
      onread: {
        buffer: Buffer.allocUnsafeSlow(readSize),
        callback(length, buffer) {
          const bytes = (buffer as Buffer).subarray(0, length)
          try {
            if (agreed) messages(bytes)
            else socket.emit('data', Buffer.from(bytes))
          } catch (error) {
            socket.destroy(error as Error)
          }
          agreed = true
          return true
        },
      },
    })
    socket.setNoDelay(true)
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new StorageUnavailable(`the database did not answer within ${connect_timeout} ms`))
    }, connect_timeout)
    const settle = (done: () => void) => {
      clearTimeout(timer)
      socket.removeAllListeners()
      done()
    }
    socket.once('error', error => settle(() => reject(error)))
    // The driver takes the name to check in the server's certificate from here.
    socket.once('connect', () =>
      settle(() => resolve('host' in address ? Object.assign(socket, { host: address.host }) : socket)),
    )
  })
}
