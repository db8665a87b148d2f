import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startServer } from '../helpers/server.ts'
import { byTest } from '../helpers/by.ts'

test('ETag: a version given out before a backup was restored never passes for a later one', async () => {
  const states = [await startServer(), await startServer()]
  const tags: string[] = []
  // The same store with one more order each time, on a database that knows nothing of the other: as after a restore.
  for (const [n, server] of states.entries()) {
    server.clock.advance(n * 60)
    const app = await server.newApp()
    await server.push(sampleStore())
    await server.push(sampleOrder({ id: `order-${n}` }))
    await server.apps.authorize(app.client_id, [1001n], byTest)
    const path =
      '/integration/v1/inventory/sales?store_id=1001&start_date=2026-01-01+00:00:00&end_date=2026-12-31+00:00:00'
    tags.push((await server.get(path, await server.token(app))).headers.get('etag') as string)
    await server.close()
  }
  assert.notEqual(tags[0], tags[1])
})
