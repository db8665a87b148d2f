import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createCli } from '../helpers/cli.ts'

const cli = await createCli()
after(cli.remove)

test('serve prints one line with its address when ready, logs to stderr, and stops cleanly at SIGTERM', {
  timeout: 300_000,
}, async t => {
  const server = cli.start(['serve'], { PORT: '0' })
  t.after(() => server.kill('SIGKILL'))
  const ended = once(server, 'close')
  const stdout = text(server.stdout)
  const logs = text(server.stderr)
  const [firstWords] = await Promise.race([once(server.stdout, 'data'), ended.then(async () => [await logs])])
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(String(firstWords))?.[0]
  assert.ok(address, `no address in: ${firstWords}`)
  assert.equal((await fetch(`${address}/health/live`)).status, 200)
  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(await stdout, /^[^\n]+\n$/)
})

test('serve on a port that is taken fails in one line that names the port', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const { code, stdout, stderr } = await cli.spawn(['serve'], {
    env: { PORT: String(port), TILLGATE_LOG_LEVEL: 'silent' },
  })
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
  assert.match(stderr, new RegExp(`^tillgate: [^\\n]*${port}[^\\n]*\\n$`))
})
