import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backup } from '../../torture/backup.ts'
import { rollingRestart } from '../../torture/rolling-restart.ts'
import { shutdown } from '../../torture/shutdown.ts'
import { shortTrial } from '../../torture/trial.ts'
import { engineName } from '../helpers/engine.ts'

/** One round of scenarios that `npm run torture` repeats on both engines. */
for (const { scenario, engine, title } of [
  { scenario: shutdown, engine: 'sqlite', title: 'SIGTERM under load drops no request in flight' },
  {
    scenario: rollingRestart,
    engine: 'postgres',
    title: 'of three nodes one is restarted under load: no request fails',
  },
  { scenario: backup, engine: 'sqlite', title: 'a backup taken under load restores to a consistent state' },
]) {
  const skip = engine !== engineName && `runs on ${engine}`
  test(title, { skip, timeout: 300_000 }, async t => {
    const { broken, tried, found } = await scenario.run(shortTrial(engineName, 1, text => t.diagnostic(text)))
    t.diagnostic(tried)
    t.diagnostic(found)
    assert.deepEqual(broken, [])
  })
}
