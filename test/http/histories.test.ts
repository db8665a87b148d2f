import { test } from 'node:test'
import { createLimiter } from '../../src/lib/limiter.ts'
import { createRandom } from '../../src/demo/random.ts'
import { playHistory } from '../../torture/changes/history.ts'
import { byTest } from '../helpers/by.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { startServer } from '../helpers/server.ts'

const histories = 50
/** As many as keep the waits of one history from making the others wait. */
const atOnce = 10

/** The long version, with processes that are killed: `npm run torture -- --only changes`. */
test(`changes: in ${histories} generated histories on two nodes each client ends with the server’s set`, async t => {
  const seed = Number(process.env['TORTURE_SEED'] ?? Math.floor(Math.random() * 1_000_000))
  t.diagnostic(`seed ${seed}`)
  const database = await emptyDatabase({ shared: true })
  const first = await startServer({ database })
  const second = await startServer({ database, issuer: first.base })
  t.after(() => Promise.all([first.close(), second.close()]))
  // The clocks of nodes differ: the sequence rises all the same.
  second.clock.advance(-3)
  const failed = new AbortController()
  const reader = await first.newApp()
  // All links are one authorization: on a busy machine the last of ten would wait longer than a statement may.
  const linking = createLimiter({ concurrency: 1 })
  const place = {
    bases: [first.base, second.base],
    database,
    bearer: {
      tills: await first.token(await first.newApp({ scope: 'platform.write' })),
      reader: await first.token(reader),
    },
    stopped: failed.signal,
    link: (store_ids: readonly number[]) =>
      linking.run(() => first.apps.authorize(reader.client_id, store_ids.map(BigInt), byTest)),
  }
  let started = 0
  let requests = 0
  const play = async () => {
    while (started < histories) {
      const n = started++
      const store_ids = n % 2 === 0 ? [n * 2 + 1] : [n * 2 + 1, n * 2 + 2]
      const shape = { writers: 3, batches: 3, followers: 2 }
      const figures = await playHistory(createRandom(seed, n), place, store_ids, shape)
      requests += figures.requests
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, play))
  } finally {
    failed.abort()
  }
  t.diagnostic(`${requests} requests`)
})
