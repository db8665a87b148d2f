import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raceRevocations } from '../../torture/revocation.ts'
import { shortTrial } from '../../torture/trial.ts'
import { redirectUri } from '../helpers/authorize.ts'
import { emptyDatabase, engineName } from '../helpers/engine.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer } from '../helpers/server.ts'

test('refresh and revocation at the same time, on two servers: after a 200 to the revocation no token lives', async t => {
  const database = await emptyDatabase({ shared: true })
  const first = await startServer({ database })
  const second = await startServer({ database, issuer: first.base, clock: first.clock })
  try {
    await first.newAccount('owner@example.com')
    await first.push(sampleStore({ merchant: 'owner@example.com' }))
    const { client_id, client_secret } = await first.newApp({ redirect_uris: [redirectUri] })
    const { broken, found } = await raceRevocations({
      ...shortTrial(engineName, 30, text => t.diagnostic(text)),
      bases: [first.base, second.base],
      client: { client_id, client_secret },
    })
    t.diagnostic(found)
    assert.deepEqual(broken, [])
  } finally {
    await second.close()
    await first.close()
  }
})
