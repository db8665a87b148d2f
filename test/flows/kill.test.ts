import assert from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Cli, createCli } from '../helpers/cli.ts'
import { onPostgres } from '../helpers/engine.ts'
import { freePort } from '../helpers/ports.ts'
import { checkBatches, type Client, pushBatch, tokenOf } from '../helpers/tills.ts'

/**
 * The server dies with SIGKILL while tills push, several times. What it acknowledged is there afterwards, a batch is
 * there whole or not at all, and the sales agree with the orders.
 */

const rounds = 4
const pushers = 3
const acknowledgementsBeforeKill = 12

async function serve(cli: Cli, port: number) {
  const child = cli.start(['serve'], { PORT: String(port), TILLGATE_LOG_LEVEL: 'error' })
  await once(child.stdout, 'data')
  return child
}

test('SIGKILL under load: nothing acknowledged is lost, nothing is half written, sales equal orders', async () => {
  const cli = await createCli()
  try {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const tills = await cli.json<Client>(['app', 'create', '--name', 'Tills', '--scope', 'platform.write'])
    const reader = await cli.json<Client>(['app', 'create', '--name', 'Reader'])
    await cli.run(['import', '-'], { stdin: '{"kind":"store","id":1,"name":"S","timezone":"UTC"}' })
    await cli.run(['app', 'authorize', reader.client_id, '--store', '1'])
    const acknowledged = new Set<string>()

    for (let round = 0; round < rounds; round++) {
      const server = await serve(cli, port)
      const bearer = await tokenOf(base, tills)
      let stop = false
      const push = async (name: string) => {
        const response = await pushBatch(base, bearer, name)
        assert.equal(response.status, 200)
        acknowledged.add(name)
      }
      const died = once(server, 'exit')
      const before = acknowledged.size
      const till = async (number: number) => {
        for (let n = 0; !stop; n++) {
          try {
            await push(`${round}.${number}.${n}`)
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error
            return
          }
          if (acknowledged.size - before >= acknowledgementsBeforeKill) {
            stop = true
            server.kill('SIGKILL')
          }
        }
      }
      await Promise.all(Array.from({ length: pushers }, (_, number) => till(number)))
      await died
    }

    if (!onPostgres) {
      const database = new DatabaseSync(cli.database)
      assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
      database.close()
    }

    const server = await serve(cli, port)
    await checkBatches(base, await tokenOf(base, reader), acknowledged)
    server.kill()
    await once(server, 'exit')
  } finally {
    cli.remove()
  }
})
