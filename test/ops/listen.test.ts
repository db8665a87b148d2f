import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { settlePort } from '../../src/lib/address.ts'
import { listen } from '../../src/server/listen.ts'

const host = '127.0.0.1'

async function serveAt(port: number): Promise<FastifyInstance> {
  const app = Fastify()
  app.get('/', () => 'here')
  await listen(app, { host, port, shared: false })
  return app
}

test('many who connect at once are let in within a few turns of a busy event loop', {
  skip: process.platform !== 'linux',
}, async () => {
  const port = await settlePort(host, 0)
  const app = await serveAt(port)
  let arrived = 0
  app.server.on('connection', () => arrived++)
  const crowd = Array.from({ length: 200 }, () => connect(port, host))
  await Promise.all(crowd.map(socket => once(socket, 'connect')))
  let turns = 0
  while (arrived < crowd.length) {
    const began = performance.now()
    while (performance.now() - began < 5);
    await new Promise(setImmediate)
    assert.ok(turns++ < 60, `${arrived} after ${turns} turns`)
  }
  for (const socket of crowd) socket.destroy()
  await app.close()
})

test('every connection is answered, and has ended when the server has closed', async () => {
  const port = await settlePort(host, 0)
  const app = await serveAt(port)
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`http://${host}:${port}`)))
  for (const answer of answers) assert.equal(await answer.text(), 'here')
  await app.close()
  await assert.rejects(fetch(`http://${host}:${port}`))
})

test('an address that another server has is refused', async () => {
  const port = await settlePort(host, 0)
  const app = await serveAt(port)
  await assert.rejects(serveAt(port), { code: 'EADDRINUSE' })
  await app.close()
})
