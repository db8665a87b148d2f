import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../torture/changes/changes.ts'
import { shortTrial } from '../../torture/trial.ts'
import { engineName } from '../helpers/engine.ts'

/** A few of the histories that `npm run torture -- --only changes` plays a thousand times. */
test('changes: while nodes are killed and restarted each client ends with the server’s set', {
  timeout: 300_000,
}, async t => {
  const { broken, tried, found } = await changes.run(shortTrial(engineName, 2, text => t.diagnostic(text)))
  t.diagnostic(tried)
  t.diagnostic(found)
  assert.deepEqual(broken, [])
})
