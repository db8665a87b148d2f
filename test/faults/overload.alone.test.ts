import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { overload, overloadByReaders } from '../../torture/overload.ts'
import { shortTrial } from '../../torture/trial.ts'
import { engineName } from '../helpers/engine.ts'

/** Three seconds each of what `npm run torture` does for half a minute. */
describe('ten times the load it can take: refused quickly with Retry-After, the rest answered in time, normal again soon', () => {
  for (const { name, run } of [overload, overloadByReaders]) {
    test(name, { timeout: 120_000 }, async t => {
      const { broken, tried, found } = await run(shortTrial(engineName, 3, text => t.diagnostic(text)))
      t.diagnostic(tried)
      t.diagnostic(found)
      assert.deepEqual(broken, [])
    })
  }
})
