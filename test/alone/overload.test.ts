import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectionStorm } from '../../torture/connection-storm.ts'
import { overload, overloadByReaders } from '../../torture/overload.ts'
import { shortTrial } from '../../torture/trial.ts'
import { inOneOfThree } from '../helpers/attempts.ts'
import { engineName } from '../helpers/engine.ts'

/** Short versions of scenarios of `npm run torture`. */
const scenarios = [
  {
    scenario: overload,
    rounds: 3,
    title: 'ten times the load, small pages and tokens: rejects with Retry-After, answers the rest in time',
  },
  {
    scenario: overloadByReaders,
    rounds: 3,
    title: 'ten times the load, large pages: rejects with Retry-After, answers the rest in time',
  },
  {
    scenario: connectionStorm,
    rounds: 1,
    title: '1,000 new connections beside 64 busy clients: all are answered in time',
  },
]

describe('overload', () => {
  for (const { scenario, rounds, title } of scenarios) {
    test(title, { timeout: 300_000 }, async t => {
      await inOneOfThree(async () => {
        const trial = shortTrial(engineName, rounds, text => t.diagnostic(text))
        const { broken, tried, found } = await scenario.run(trial)
        t.diagnostic(tried)
        t.diagnostic(found)
        assert.deepEqual(broken, [])
      })
    })
  }
})
