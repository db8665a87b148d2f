import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import postgres from 'postgres'
import { createCli } from '../helpers/cli.ts'
import { freshDatabase } from '../helpers/postgres.ts'

for (const args of [['serve'], ['import', '-']]) {
  test(`${args[0]}: a start that waits for another node's migration ends at the first signal`, async t => {
    const database = await freshDatabase()
    const cli = await createCli({ database })
    const sql = postgres(database, { max: 2, onnotice: () => {} })
    t.after(async () => {
      await sql.end()
      cli.remove()
    })
    const released = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const holding = sql.begin(async tx => {
      await tx`select pg_advisory_xact_lock(1414089799, 1)`
      held.resolve()
      await released.promise
    })
    await held.promise
    const child = cli.start(args)
    const ended = once(child, 'exit')
    const isWaiting = async () =>
      (
        await sql`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      ).length > 0
    while (!(await isWaiting()));
    child.kill('SIGINT')
    assert.deepEqual(await ended, [null, 'SIGINT'])
    released.resolve()
    await holding
  })
}
