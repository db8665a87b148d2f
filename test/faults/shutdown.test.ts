import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backup } from '../../torture/backup.ts'
import { rollingRestart } from '../../torture/rolling-restart.ts'
import { shutdown } from '../../torture/shutdown.ts'
import { shortTrial } from '../../torture/trial.ts'
import { engineName } from '../helpers/engine.ts'

/** Once or twice what `npm run torture` does many times. */
for (const { scenario, rounds, title } of [
  { scenario: shutdown, rounds: 1, title: 'SIGTERM under load drops no request in flight' },
  {
    scenario: rollingRestart,
    rounds: 1,
    title: 'of three nodes one is restarted under load: no request fails',
  },
  { scenario: backup, rounds: 1, title: 'a backup taken under load restores to a consistent state' },
]) {
  const skip = !scenario.engines.includes(engineName) && 'is about PostgreSQL'
  test(title, { skip, timeout: 120_000 }, async t => {
    const { broken, tried, found } = await scenario.run(
      shortTrial(engineName, rounds, text => t.diagnostic(text)),
    )
    t.diagnostic(tried)
    t.diagnostic(found)
    assert.deepEqual(broken, [])
  })
}
