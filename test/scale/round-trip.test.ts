import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { startWire, type Wire } from '../helpers/replicated.ts'
import { lists, startWorld, withQuery, type World } from '../helpers/world.ts'

/** Whether the token is live, whether it may read the store, and the page: asked of a remote database in one go. */

let wire: Wire
let world: World

before(async () => {
  wire = await startWire(await freshDatabase())
  world = await startWorld([1001], { database: wire.url })
  await world.push(sampleItem(), sampleOrder(), sampleOrder({ id: 'O-2' }))
})
after(async () => {
  await world?.close()
  wire?.close()
})

for (const { path, query } of lists) {
  test(`one request of ${path} is one round trip, also when nothing has changed`, async () => {
    const token = await world.token()
    const ask = async (headers: Record<string, string> = {}) => {
      const before = wire.turns
      const answer = await world.server.get(withQuery(path, query), token, headers)
      return { answer, turns: wire.turns - before }
    }
    // What the server does in the background may fall into a request, but not into each of several.
    const fewestTurns = async (status: number, headers: Record<string, string> = {}) => {
      let fewest = Number.POSITIVE_INFINITY
      for (let i = 0; i < 5 && fewest > 1; i++) {
        const { answer, turns } = await ask(headers)
        assert.equal(answer.status, status)
        fewest = Math.min(fewest, turns)
      }
      return fewest
    }
    // The first makes the driver learn the statement.
    const { answer } = await ask()
    assert.equal(answer.status, 200)
    assert.ok(answer.json.data.length > 0)
    assert.equal(await fewestTurns(200), 1)
    const etag = answer.headers.get('etag')
    if (etag === null) return
    assert.equal(await fewestTurns(304, { 'if-none-match': etag }), 1)
  })
}
