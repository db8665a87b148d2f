import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { settlePort } from '../../src/lib/address.ts'
import { listen } from '../../src/server/listen.ts'

const host = '127.0.0.1'

async function serveAt(port: number, listeners = 64): Promise<FastifyInstance> {
  const app = Fastify()
  app.get('/', () => 'here')
  await listen(app, { host, port, listeners, shared: false })
  return app
}

test('a busy server accepts a burst of connections within a few iterations of its event loop', {
  skip: process.platform !== 'linux',
}, async () => {
  const port = await settlePort(host, 0)
  const app = await serveAt(port)
  let arrived = 0
  app.server.on('connection', () => arrived++)
  const burst = Array.from({ length: 200 }, () => connect(port, host))
  await Promise.all(burst.map(socket => once(socket, 'connect')))
  let iterations = 0
  while (arrived < burst.length) {
    const began = performance.now()
    while (performance.now() - began < 5);
    await new Promise(setImmediate)
    assert.ok(iterations++ < 60, `${arrived} after ${iterations} iterations`)
  }
  for (const socket of burst) socket.destroy()
  await app.close()
})

test('every listener answers, and all connections have ended when the server has closed', async () => {
  const port = await settlePort(host, 0)
  const app = await serveAt(port)
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`http://${host}:${port}`)))
  for (const answer of answers) assert.equal(await answer.text(), 'here')
  await app.close()
  await assert.rejects(fetch(`http://${host}:${port}`))
})

test('an address that another server listens on is refused', async () => {
  const port = await settlePort(host, 0)
  const app = await serveAt(port)
  await assert.rejects(serveAt(port), { code: 'EADDRINUSE' })
  await app.close()
})
