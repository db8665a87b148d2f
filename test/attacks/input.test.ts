import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onPostgres } from '../helpers/engine.ts'
import { inputCampaign } from './input/campaign.ts'

/** The short version of `npm run torture -- --only input`, with the same requests in every run. */

const seed = 13
/** Most of the code that they reach stands above the engine. */
const most = onPostgres ? 600 : 2000

test('generated requests: no 5xx, no hang, no foreign id, every answer well-formed', {
  timeout: 300_000,
}, async t => {
  const { sent, statuses, broken } = await inputCampaign({ seed, most })
  t.diagnostic(`seed ${seed}: ${JSON.stringify(statuses)}`)
  assert.deepEqual(broken, [], `seed ${seed}`)
  assert.equal(sent, most)
  // They are no use when they all fail at the first check.
  for (const status of ['200', '303', '400', '401', '403', '404', '405', '415', '422']) {
    assert.ok((statuses[status] ?? 0) > 5, `only ${statuses[status]} answers were ${status}`)
  }
})
