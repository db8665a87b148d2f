import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crash } from '../../torture/crash.ts'
import { shortTrial } from '../../torture/trial.ts'
import { engineName } from '../helpers/engine.ts'

/** A handful of rounds of what `npm run torture -- --only crash` does a thousand times. */
test('killed under ingest, token, refresh and revoke load: nothing acknowledged is lost, nothing is half written', {
  timeout: 300_000,
}, async t => {
  const { broken, tried, found } = await crash.run(shortTrial(engineName, 2, text => t.diagnostic(text)))
  t.diagnostic(tried)
  t.diagnostic(found)
  assert.deepEqual(broken, [])
})
