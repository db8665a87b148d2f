import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test, type TestContext } from 'node:test'
import { compileCache } from '../helpers/compile-cache.ts'
import { emptyDatabase, onPostgres } from '../helpers/engine.ts'
import { findOldNode } from '../helpers/old-node.ts'

/** Ctrl-C and systemd signal every process of the group, and parent processes then pass the signal on once more. */

const root = join(import.meta.dirname, '../..')
const oldNode = findOldNode()

/** deploy/tillgate.service starts this, with the machine's own Node. */
const unit = readFileSync(join(root, 'deploy/tillgate.service'), 'utf8')
const [, ...serve] = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').split(' ')

/** One signal reaches the server directly; the other by way of the older Node that starts it, where there is one. */
const cases = [
  { node: process.execPath, signal: 'SIGINT', name: 'SIGINT' },
  oldNode === null
    ? { node: process.execPath, signal: 'SIGTERM', name: 'SIGTERM' }
    : { node: oldNode, signal: 'SIGTERM', name: 'SIGTERM, through the Node 24 that an older Node starts' },
] as const

describe('two workers, a signal to the process group, and again', {
  skip: onPostgres && 'the engine plays no part',
}, () => {
  for (const { node, signal, name } of cases) {
    test(`${name}: a request in flight is answered, both workers wait for the delay, exit code 0`, {
      timeout: 300_000,
    }, async t => {
      const server = await start(t, node)
      const sent = await unfinishedRequest(server.base)
      const answer = once(sent, 'response') as Promise<[IncomingMessage]>
      const signalled = performance.now()
      process.kill(-server.group, signal)
      const workers = [await server.stopping(), await server.stopping()]
      process.kill(-server.group, signal)
      assert.equal((await fetch(`${server.base}/health/ready`)).status, 503)
      for (const pid of workers) assert.ok(process.kill(pid, 0), `${pid} has ended`)
      sent.end('=client_credentials')
      const [{ statusCode }] = await answer
      assert.equal(statusCode, 401)
      assert.deepEqual(await server.ended, [0, null])
      const waited = performance.now() - signalled
      assert.ok(waited >= server.delay, `ended ${waited} ms after the signal`)
    })
  }
})

async function start(t: TestContext, node: string) {
  const child = spawn(node, serve, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      NODE_COMPILE_CACHE: compileCache,
      PORT: '0',
      TILLGATE_DATABASE: await emptyDatabase({ shared: true }),
      TILLGATE_WORKERS: '2',
      TILLGATE_SHUTDOWN_DELAY: '2',
    },
  })
  const group = child.pid as number
  const ended = once(child, 'close')
  t.after(() => {
    if (child.exitCode === null) process.kill(-group, 'SIGKILL')
  })
  const log = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
  const [words] = await once(child.stdout, 'data')
  return {
    group,
    ended,
    delay: 2000,
    base: /http:\S+/.exec(String(words))?.[0] ?? '',
    /** The id of the next process that logs that it stops. */
    async stopping(): Promise<number> {
      for (;;) {
        const { done, value } = await log.next()
        assert.ok(!done, 'the log ended')
        const { msg, pid } = JSON.parse(value)
        if (String(msg).startsWith('stopping')) return pid
      }
    },
  }
}

/** A token request whose headers have arrived and whose body has not. */
async function unfinishedRequest(base: string) {
  const sent = request(`${base}/auth/v2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', expect: '100-continue' },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.write('grant_type')
  return sent
}
