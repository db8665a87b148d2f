import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createCli } from '../helpers/cli.ts'

const cli = await createCli()
after(cli.remove)

const url = 'https://app.example.com/hook?key=1'
let client_id: string
let id: string
let secret: string

before(async () => {
  ;({ client_id } = await cli.json<{ client_id: string }>(['app', 'create', '--name', 'Ledger']))
})

test('webhook create: the id, the url, the events and, once, the secret', async () => {
  const made = await cli.json<Record<string, any>>([
    'webhook',
    'create',
    client_id,
    '--url',
    url,
    '--event',
    'store.changed',
    '--event',
    'authorization.revoked',
  ])
  assert.deepEqual(Object.keys(made), ['id', 'url', 'events', 'secret'])
  assert.deepEqual([made['url'], made['events']], [url, ['store.changed', 'authorization.revoked']])
  assert.match(made['secret'], /^whsec_[A-Za-z0-9+/]{43}=$/)
  id = made['id']
  secret = made['secret']
  const all = await cli.json<Record<string, any>>(['webhook', 'create', client_id, '--url', url])
  assert.equal(all['events'].length, 4)
  const tested = ['webhook', 'create', client_id, '--url', url, '--event', 'webhook.test']
  const alone = await cli.json<Record<string, any>>(tested)
  assert.deepEqual(alone['events'], ['webhook.test'], 'not all events')
  await cli.json(['webhook', 'delete', alone['id']])
  const { stdout } = await cli.run(['webhook', 'list', client_id, '--json'])
  // Both are of the same second, so either may be first.
  const listed = (JSON.parse(stdout) as { id: string }[]).map(endpoint => endpoint.id)
  assert.deepEqual(new Set(listed), new Set([id, all['id']]))
  assert.doesNotMatch(stdout, /whsec/)
  await cli.json(['webhook', 'delete', all['id']])
})

test('webhook create refuses what can never be called, unknown events, apps and an eleventh endpoint', async () => {
  const refused = async (args: string[], reason: RegExp, env = {}) => {
    const { code, stderr } = await cli.run(['webhook', 'create', ...args], { env })
    assert.equal(code, 1, stderr)
    assert.match(stderr, reason)
    assert.equal(stderr.trim().split('\n').length, 1)
  }
  await refused([client_id, '--url', 'http://app.example.com/'], /must begin with https/)
  await refused([client_id, '--url', 'https://127.1/'], /must be at a public address/)
  await refused([client_id, '--url', url, '--event', 'order.created'], /"order.created" is no event/)
  await refused(['nobody', '--url', url], /no app nobody/)
  for (let i = 0; i < 9; i++) await cli.json(['webhook', 'create', client_id, '--url', url])
  await refused([client_id, '--url', url], /has 10 webhook endpoints already/)
  const env = { TILLGATE_WEBHOOK_ALLOW: '127.0.0.1' }
  await refused([client_id, '--url', 'http://127.0.0.1/'], /has 10 webhook endpoints already/, env)
  await refused([client_id, '--url', url], /TILLGATE_WEBHOOK_ALLOW has "10.0.0.0\/99"/, {
    TILLGATE_WEBHOOK_ALLOW: '10.0.0.0/99',
  })
})

test('webhook test, deliveries and resend: an event waits for the server', async () => {
  const { delivery } = await cli.json<{ delivery: string }>(['webhook', 'test', id])
  const list = () => cli.json<Record<string, any>[]>(['webhook', 'deliveries', id])
  const [found] = await list()
  assert.deepEqual(
    [found?.['id'], found?.['type'], found?.['state'], found?.['attempts']],
    [delivery, 'webhook.test', 'pending', 0],
  )
  assert.deepEqual(await cli.json(['webhook', 'resend', delivery]), { delivery })
  for (const args of [
    ['resend', 'msg_0'],
    ['test', 'we_0'],
    ['deliveries', 'we_0'],
    ['rotate-secret', 'we_0'],
    ['delete', 'we_0'],
  ]) {
    const { code, stderr } = await cli.run(['webhook', ...args])
    assert.equal(code, 1)
    assert.match(stderr, /There is no|there is no/)
  }
})

test('webhook rotate-secret, disable, enable, pause, delete', async () => {
  const rotated = await cli.json<{ secret: string }>(['webhook', 'rotate-secret', id])
  assert.match(rotated.secret, /^whsec_/)
  assert.notEqual(rotated.secret, secret)
  const state = async () => {
    const all = await cli.json<Record<string, any>[]>(['webhook', 'list', client_id])
    const { enabled, reason } = all.find(endpoint => endpoint['id'] === id) ?? {}
    return [enabled, reason]
  }
  assert.deepEqual(await cli.json(['webhook', 'disable', id]), { id, enabled: false })
  assert.deepEqual(await state(), [false, 'by_hand'])
  assert.equal((await cli.run(['webhook', 'test', id])).code, 1)
  await cli.json(['webhook', 'enable', id])
  assert.deepEqual(await state(), [true, null])
  assert.deepEqual(await cli.json(['webhook', 'pause', client_id]), { client_id, paused: true })
  assert.deepEqual(await cli.json(['webhook', 'unpause', client_id]), { client_id, paused: false })
  await cli.json(['webhook', 'delete', id])
  assert.deepEqual(await state(), [undefined, undefined])
})

test('webhook stop, and resume: after it and after a restore', async () => {
  assert.deepEqual(await cli.json(['webhook', 'resume']), { resumed: false })
  for (const stopped of [true, false]) assert.deepEqual(await cli.json(['webhook', 'stop']), { stopped })
  const { client_id } = await cli.json<{ client_id: string }>(['app', 'create', '--name', 'Stopped'])
  const listed = async () => (await cli.run(['webhook', 'list', client_id])).stderr
  assert.match(await listed(), /^This database sends no webhooks; "tillgate webhook resume" starts them\.\n$/)
  assert.deepEqual(await cli.json(['webhook', 'resume']), { resumed: true })
  assert.equal(await listed(), '')
  if (cli.database.startsWith('postgres')) return
  await cli.json(['backup', 'backup.db'])
  await cli.json(['restore', 'backup.db'])
  assert.deepEqual(await cli.json(['webhook', 'resume']), { resumed: true })
})
