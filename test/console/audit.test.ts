import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { auditActions } from '../../src/domain/audit/sentences.ts'
import type { Account, AuditLine } from '../../src/storage/port/index.ts'
import { authorizePath, type Client, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { createCli } from '../helpers/cli.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { sampleStore } from '../helpers/orders.ts'
import { type Answer, password, startServer, type TestServer } from '../helpers/server.ts'

/** Every way to change something leaves its entry in the audit log: who, what, when, from where. */

// Commands are processes of their own.
const database = await emptyDatabase({ shared: true })
const cli = await createCli({ database })
let server: TestServer
/** Actions that a test of this file saw in the log. */
const seen = new Set<string>()

before(async () => {
  server = await startServer({ database, config: { trust_proxy: '127.0.0.1' } })
})

after(async () => {
  await server.close()
  cli.remove()
})

/** Somebody at an address, behind the proxy; `posted` is the id of the last request that changed something. */
class Visitor extends Browser {
  readonly address: string
  posted = ''

  constructor(address: string) {
    super(server.base)
    this.address = address
  }

  override async open(url: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { 'x-forwarded-for': this.address, ...(init.headers as Record<string, string>) }
    const answer = await super.open(url, { ...init, headers })
    if (init.method === 'POST') this.posted = answer.headers.get('x-request-id') ?? ''
    return answer
  }

  /** Fills in the form of a page. */
  async fill(path: string, fields: Record<string, string | string[]> = {}): Promise<Answer> {
    return this.submit(await this.open(path), fields)
  }
}

let visitors = 0
const visitor = () => new Visitor(`192.0.2.${++visitors}`)

async function signedIn(email: string): Promise<Visitor> {
  const browser = visitor()
  await browser.signIn(email)
  return browser
}

const by = ({ id, email }: Account, { address, posted }: Visitor): Partial<AuditLine> => ({
  actor_kind: 'account',
  actor_id: id,
  actor_name: email,
  address,
  request_id: posted,
})

/** The newest entry is this one, whole, and of this moment. */
async function assertTold(expected: Partial<AuditLine>): Promise<void> {
  const { lines } = await server.storage.audit.list({ limit: 1, scan_limit: 2 })
  const [newest] = lines
  assert.ok(newest)
  const { id: _id, account_email: _email, app_name: _name, ...entry } = newest
  assert.deepEqual(entry, {
    at: server.clock.now(),
    account_id: null,
    app_id: null,
    store_ids: [],
    detail: null,
    ...expected,
  })
  seen.add(entry.action)
  server.clock.advance(1)
}

const count = async () =>
  (await server.storage.audit.list({ limit: 10_000, scan_limit: 10_001 })).lines.length

/** A merchant with two stores. */
let made = 0
async function newMerchant() {
  const number = ++made
  const merchant = await server.newAccount(`owner${number}@example.com`)
  const store_ids = [BigInt(10 * number), BigInt(10 * number + 1)]
  await server.push(...store_ids.map(id => sampleStore({ id: Number(id), merchant: merchant.email })))
  return { merchant, store_ids }
}

const newClient = async () => {
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  return { client_id, client_secret }
}

/** Allows the app the first of the stores; the app redeems the code. */
async function connect(client: Client, merchant: Account, store_ids: readonly bigint[]) {
  const browser = visitor()
  const page = await browser.reachConsent(authorizePath(client), merchant.email)
  const sent = await browser.submit(page, { decision: 'allow', store: String(store_ids[0]) })
  const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code')
  const redeemed = await redeem(server, client, code)
  return { browser, code, tokens: redeemed.json as { access_token: string; refresh_token: string } }
}

describe('signing in and out', () => {
  test('sign-in, and its refusal for a wrong password, an unknown email and a disabled account', async () => {
    const { merchant } = await newMerchant()
    const browser = visitor()
    await browser.signIn(merchant.email)
    await assertTold({ action: 'sign_in', ...by(merchant, browser) })

    const refused = (account_id: string | null) => ({
      action: 'sign_in_refused' as const,
      account_id,
      actor_kind: 'account' as const,
      actor_id: null,
      actor_name: null,
      address: browser.address,
      request_id: browser.posted,
    })
    const stranger = new Visitor(browser.address)
    const tries = [
      { email: merchant.email, secret: 'not the password', account_id: merchant.id },
      { email: 'nobody@example.com', secret: password, account_id: null },
    ]
    for (const { email, secret, account_id } of tries) {
      await stranger.signIn(email, secret)
      await assertTold({ ...refused(account_id), request_id: stranger.posted })
    }
    await server.storage.accounts.setDisabled(merchant.id, 1, 1)
    await stranger.signIn(merchant.email)
    await assertTold({ ...refused(merchant.id), request_id: stranger.posted })
  })

  test('what was typed is nowhere in the log', async () => {
    await visitor().signIn('secret-typed-as-email@example.com', 'another secret typed')
    const { lines } = await server.storage.audit.list({ limit: 10_000, scan_limit: 10_001 })
    const text = JSON.stringify(lines.map(({ store_ids: _ids, ...line }) => line))
    assert.doesNotMatch(text, /secret-typed|another secret|correct horse/)
  })

  test('sign-out, once', async () => {
    const { merchant } = await newMerchant()
    const browser = await signedIn(merchant.email)
    const csrf = /name="_csrf" value="([^"]*)"/.exec((await browser.open('/account/apps')).text)?.[1] ?? ''
    const send = () => browser.open('/logout', { method: 'POST', body: new URLSearchParams({ _csrf: csrf }) })
    await send()
    await assertTold({ action: 'sign_out', ...by(merchant, browser) })
    const before = await count()
    await send()
    assert.equal(await count(), before)
  })

  test('password, sessions, two-factor authentication', async () => {
    const { merchant } = await newMerchant()
    const browser = await signedIn(merchant.email)
    const told = { account_id: merchant.id, ...by(merchant, browser) }
    const csrfOf = async (path: string) =>
      /name="_csrf" value="([^"]*)"/.exec((await browser.open(path)).text)?.[1] ?? ''
    await signedIn(merchant.email)
    const body = new URLSearchParams({ _csrf: await csrfOf('/profile') })
    await browser.open('/profile/sessions/end-others', { method: 'POST', body })
    await assertTold({ action: 'sessions_ended', ...by(merchant, browser) })
    const page = await browser.open('/profile/two-factor')
    const secret = /name="secret" value="(\w+)"/.exec(page.text)?.[1] ?? ''
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: server.clock.now() * 1000,
    })
    await browser.submit(page, { code, current: password })
    await assertTold({ ...told, action: 'two_factor_on', request_id: browser.posted })
    await browser.fill('/profile/two-factor/off', { current: password })
    await assertTold({ ...told, action: 'two_factor_off', request_id: browser.posted })
    await browser.fill('/profile/password', { current: password, password: 'a new long password' })
    const { lines } = await server.storage.audit.list({ account_id: merchant.id, limit: 2, scan_limit: 3 })
    assert.deepEqual(lines.map(({ action }) => action).sort(), ['password_changed', 'sign_in'])
  })

  test('sign-up', async () => {
    await server.storage.switches.set('sign_up', true)
    const browser = visitor()
    await browser.fill('/signup', { email: 'new@example.com', password })
    const account = await server.accounts.findByEmail('new@example.com')
    assert.ok(account)
    const { lines } = await server.storage.audit.list({ account_id: account.id, limit: 9, scan_limit: 10 })
    assert.deepEqual(
      lines.map(({ action, detail, address, request_id }) => [action, detail, address, request_id]),
      [
        ['sign_in', null, browser.address, browser.posted],
        ['account_created', 'sign-up', browser.address, browser.posted],
      ],
    )
  })

  test('the address is the proxy’s word only where the proxy is trusted', async t => {
    const bare = await startServer()
    t.after(() => bare.close())
    await bare.newAccount('owner@example.com')
    const browser = new Browser(bare.base)
    const page = await browser.open('/login')
    const csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    await browser.open('/login', {
      method: 'POST',
      headers: { 'x-forwarded-for': '203.0.113.9', cookie },
      body: new URLSearchParams({ _csrf: csrf, email: 'owner@example.com', password }),
    })
    const { lines } = await bare.storage.audit.list({ limit: 1, scan_limit: 2 })
    assert.deepEqual([lines[0]?.action, lines[0]?.address], ['sign_in', '127.0.0.1'])
  })
})

describe('a merchant and an app', () => {
  test('allowed, allowed again with other stores, changed, denied, revoked', async () => {
    const { merchant, store_ids } = await newMerchant()
    const client = await newClient()
    const about = { account_id: merchant.id, app_id: client.client_id }
    const browser = visitor()
    const decide = async (fields: Record<string, string | string[]>) => {
      const page = await browser.reachConsent(authorizePath(client), merchant.email)
      return browser.submit(page, fields)
    }
    await decide({ decision: 'allow', store: String(store_ids[0]) })
    await assertTold({
      action: 'access_allowed',
      ...about,
      store_ids: store_ids.slice(0, 1),
      ...by(merchant, browser),
    })
    await decide({ decision: 'allow', store: store_ids.map(String) })
    await assertTold({ action: 'access_allowed', ...about, store_ids, ...by(merchant, browser) })

    const page = `/account/apps/${client.client_id}`
    await browser.fill(`${page}/stores`, { decision: 'save', store: String(store_ids[1]) })
    await assertTold({
      action: 'access_changed',
      ...about,
      store_ids: store_ids.slice(1),
      ...by(merchant, browser),
      detail: '0 added, 1 removed',
    })
    await decide({ decision: 'deny' })
    await assertTold({ action: 'access_denied', ...about, ...by(merchant, browser) })
    await browser.fill(`${page}/revoke`)
    await assertTold({
      action: 'access_revoked',
      ...about,
      store_ids: store_ids.slice(1),
      ...by(merchant, browser),
    })
  })

  test('another’s store is not allowed, and nothing is recorded', async () => {
    const { merchant } = await newMerchant()
    const { store_ids } = await newMerchant()
    const client = await newClient()
    const browser = visitor()
    const page = await browser.reachConsent(authorizePath(client), merchant.email)
    const before = await count()
    await browser.submit(page, { decision: 'allow', store: String(store_ids[0]) })
    assert.equal(await count(), before)
  })

  test('given back by the app (RFC 7009)', async () => {
    const { merchant, store_ids } = await newMerchant()
    const client = await newClient()
    const { tokens } = await connect(client, merchant, store_ids)
    const from = { 'x-forwarded-for': '203.0.113.7' }
    const answer = await server.post('/auth/v2/revoke', { ...client, token: tokens.refresh_token }, from)
    assert.equal(answer.status, 200, answer.text)
    await assertTold({
      action: 'access_revoked',
      account_id: merchant.id,
      app_id: client.client_id,
      actor_kind: 'app',
      actor_id: client.client_id,
      actor_name: 'Ledger',
      address: '203.0.113.7',
      request_id: answer.headers.get('x-request-id'),
      detail: 'the app revoked its refresh token',
    })
    const before = await count()
    await server.post('/auth/v2/revoke', { ...client, token: tokens.refresh_token }, from)
    assert.equal(await count(), before, 'there was nothing left to end')
  })

  test('tokens ended because a code was used twice', async () => {
    const { merchant, store_ids } = await newMerchant()
    const client = await newClient()
    const { code } = await connect(client, merchant, store_ids)
    const answer = await redeem(server, client, code)
    assert.equal(answer.status, 400)
    await assertTold({
      action: 'tokens_ended',
      account_id: merchant.id,
      app_id: client.client_id,
      actor_kind: 'server',
      actor_id: null,
      actor_name: null,
      address: '127.0.0.1',
      request_id: answer.headers.get('x-request-id'),
      detail: 'a code or refresh token was used twice',
    })
  })

  test('tokens ended because a refresh token was used twice, but not by a retry', async () => {
    const { merchant, store_ids } = await newMerchant()
    const client = await newClient()
    const { tokens } = await connect(client, merchant, store_ids)
    await refresh(server, client, tokens.refresh_token)
    const before = await count()
    await refresh(server, client, tokens.refresh_token)
    assert.equal(await count(), before)
    server.clock.advance(60)
    const answer = await refresh(server, client, tokens.refresh_token)
    assert.equal(answer.status, 400)
    await assertTold({
      action: 'tokens_ended',
      account_id: merchant.id,
      app_id: client.client_id,
      actor_kind: 'server',
      actor_id: null,
      actor_name: null,
      address: '127.0.0.1',
      request_id: answer.headers.get('x-request-id'),
      detail: 'a code or refresh token was used twice',
    })
  })

  test('a store that the platform gives to another merchant', async () => {
    const { merchant, store_ids } = await newMerchant()
    const till = await server.newApp({ name: 'Till', scope: 'platform.write' })
    const send = async (merchant: string) =>
      fetch(`${server.base}/platform/v1/records`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await server.token(till)}`,
          'content-type': 'application/x-ndjson',
          'x-forwarded-for': '203.0.113.8',
        },
        body: JSON.stringify(sampleStore({ id: Number(store_ids[0]), merchant })),
      })
    const answer = await send('buyer@example.com')
    assert.equal(answer.status, 200)
    await assertTold({
      action: 'store_moved',
      store_ids: [store_ids[0] as bigint],
      detail: `from ${merchant.email} to buyer@example.com`,
      actor_kind: 'app',
      actor_id: till.client_id,
      actor_name: null,
      address: '203.0.113.8',
      request_id: answer.headers.get('x-request-id'),
    })
    const before = await count()
    await send('buyer@example.com')
    assert.equal(await count(), before, 'nothing moved')
  })
})

describe('a developer', () => {
  test('creates an app, changes it, rotates and retires a secret, switches it off and on', async () => {
    const account = await server.newAccount('maker@example.com', 'developer')
    const browser = await signedIn(account.email)
    const profile = { name: 'Ledger', redirect_uris: redirectUri }
    await browser.fill('/developer/apps/new', { ...profile, scope: 'integration.store' })
    const [app] = await server.storage.apps.ofOwner(account.id)
    assert.ok(app)
    const about = { app_id: app.id }
    await assertTold({ action: 'app_created', ...about, detail: 'Ledger', ...by(account, browser) })
    const path = `/developer/apps/${app.id}`
    await browser.fill(`${path}/edit`, { ...profile, name: 'Ledger Two', scope: 'integration.store' })
    await assertTold({ action: 'app_changed', ...about, detail: 'name', ...by(account, browser) })
    await browser.fill(`${path}/rotate`)
    await assertTold({ action: 'secret_added', ...about, ...by(account, browser) })
    const secrets = await server.storage.apps.secrets(app.id)
    await browser.fill(`${path}/secrets/${secrets[1]?.id}/retire`)
    await assertTold({ action: 'secret_retired', ...about, ...by(account, browser) })
    await browser.fill(`${path}/disable`)
    await assertTold({ action: 'app_disabled', ...about, ...by(account, browser) })
    await browser.fill(path)
    await assertTold({ action: 'app_enabled', ...about, ...by(account, browser) })
  })
})

describe('an operator', () => {
  test('disables and enables accounts and apps, takes access, turns the switch', async () => {
    const operator = await server.newAccount('ops@example.com', 'operator')
    const browser = await signedIn(operator.email)
    const { merchant, store_ids } = await newMerchant()
    const client = await newClient()
    await connect(client, merchant, store_ids)
    await browser.fill(`/operator/apps/${client.client_id}/revoke`)
    await assertTold({ action: 'access_revoked', app_id: client.client_id, ...by(operator, browser) })
    await browser.fill(`/operator/accounts/${merchant.id}/password-link`, { current: password })
    await assertTold({ action: 'password_link_created', account_id: merchant.id, ...by(operator, browser) })
    for (const word of ['disable', 'enable'] as const) {
      await browser.fill(`/operator/accounts/${merchant.id}/${word}`)
      await assertTold({ action: `account_${word}d`, account_id: merchant.id, ...by(operator, browser) })
      await browser.fill(`/operator/apps/${client.client_id}/${word}`)
      await assertTold({ action: `app_${word}d`, app_id: client.client_id, ...by(operator, browser) })
    }
    for (const [word, action] of [
      ['pause', 'webhooks_paused'],
      ['resume', 'webhooks_resumed'],
    ] as const) {
      await browser.fill(`/operator/apps/${client.client_id}/webhooks/${word}`)
      await assertTold({ action, app_id: client.client_id, ...by(operator, browser) })
    }
    for (const detail of ['sign_up off', 'sign_up on']) {
      await browser.fill('/operator/settings')
      await assertTold({ action: 'switch_set', detail, ...by(operator, browser) })
    }
    for (const [name, detail] of [
      ['Harbour POS', 'name Harbour POS'],
      ['', 'name removed'],
    ] as const) {
      await browser.fill('/operator/settings/brand', { name })
      await assertTold({ action: 'brand_changed', detail, ...by(operator, browser) })
    }
  })
})

describe('on the command line', () => {
  const entries = async () => (await server.storage.audit.list({ limit: 10_000, scan_limit: 10_001 })).lines
  let known = new Set<string>()

  async function command<T>(args: readonly string[], stdin = ''): Promise<T> {
    known = new Set((await entries()).map(({ id }) => id))
    return cli.json<T>(args, { stdin })
  }

  /** The command left this one entry; it has the time of the machine. */
  async function assertCommandTold(expected: Partial<AuditLine>): Promise<void> {
    const [newest, ...more] = (await entries()).filter(({ id }) => !known.has(id))
    assert.deepEqual(more, [])
    assert.ok(newest)
    const { id: _id, at, account_email: _email, app_name: _name, actor_name, ...entry } = newest
    assert.deepEqual(entry, {
      account_id: null,
      app_id: null,
      store_ids: [],
      detail: null,
      actor_kind: 'command',
      actor_id: null,
      address: null,
      request_id: null,
      ...expected,
    })
    assert.ok(Math.abs(at - Date.now() / 1000) < 60, String(at))
    assert.match(actor_name ?? '', /\w/, 'the user of the machine')
    seen.add(entry.action)
  }

  test('accounts', async () => {
    const create = [
      'account',
      'create',
      '--email',
      'cli@example.com',
      '--role',
      'merchant',
      '--password-stdin',
    ]
    const { id } = await command<{ id: string }>(create, password)
    await assertCommandTold({ action: 'account_created', account_id: id, detail: 'merchant' })
    const named = ['--email', 'cli@example.com']
    await command(['account', 'password', ...named, '--password-stdin'], 'another good password')
    await assertCommandTold({ action: 'password_changed', account_id: id })
    await command(['account', 'disable', ...named])
    await assertCommandTold({ action: 'account_disabled', account_id: id })
    await command(['account', 'enable', ...named])
    await assertCommandTold({ action: 'account_enabled', account_id: id })
  })

  test('apps, keys and stores', async () => {
    const { store_ids } = await newMerchant()
    const { client_id } = await command<Client>(['app', 'create', '--name', 'First party'])
    const about = { app_id: client_id }
    await assertCommandTold({ action: 'app_created', ...about, detail: 'First party' })
    await command(['app', 'rotate-secret', client_id])
    await assertCommandTold({ action: 'secret_added', ...about })
    const named = store_ids.flatMap(id => ['--store', String(id)])
    await command(['app', 'authorize', client_id, ...named])
    await assertCommandTold({ action: 'access_linked', ...about, store_ids })
    await command(['app', 'revoke', client_id, '--store', String(store_ids[0])])
    await assertCommandTold({ action: 'access_revoked', ...about, store_ids: store_ids.slice(0, 1) })
    await command(['app', 'revoke', client_id])
    await assertCommandTold({ action: 'access_revoked', ...about })
    for (const word of ['disable', 'enable'] as const) {
      await command(['app', word, client_id])
      await assertCommandTold({ action: `app_${word}d`, ...about })
    }
    await command(['keys', 'rotate'])
    await assertCommandTold({ action: 'keys_rotated' })
    await command(['feed', 'renew'])
    await assertCommandTold({ action: 'feed_renewed' })
    const moved = JSON.stringify(sampleStore({ id: Number(store_ids[0]), merchant: null }))
    await command(['import', '-'], `${moved}\n`)
    const from = `owner${made}@example.com`
    await assertCommandTold({
      action: 'store_moved',
      store_ids: store_ids.slice(0, 1),
      detail: `from ${from} to nobody`,
    })
  })

  test('webhooks', async () => {
    const { client_id } = await command<Client>(['app', 'create', '--name', 'First party'])
    const about = { app_id: client_id }
    const address = ['--url', 'https://hooks.example/x?key=secret']
    const { id } = await command<{ id: string }>(['webhook', 'create', client_id, ...address])
    await assertCommandTold({ action: 'webhook_created', ...about, detail: 'hooks.example' })
    await command(['webhook', 'rotate-secret', id])
    await assertCommandTold({ action: 'webhook_changed', ...about, detail: 'hooks.example, new secret' })
    await command(['webhook', 'pause', client_id])
    await assertCommandTold({ action: 'webhooks_paused', ...about })
    await command(['webhook', 'unpause', client_id])
    await assertCommandTold({ action: 'webhooks_resumed', ...about })
    await command(['webhook', 'stop'])
    await assertCommandTold({ action: 'webhooks_paused' })
    await command(['webhook', 'resume'])
    await assertCommandTold({ action: 'webhooks_resumed' })
    await command(['webhook', 'delete', id])
    await assertCommandTold({ action: 'webhook_deleted', ...about, detail: 'hooks.example' })
  })
})

test('every action of the log was seen above: there is none that nothing writes', () => {
  assert.deepEqual([...seen].sort(), Object.keys(auditActions).sort())
})
