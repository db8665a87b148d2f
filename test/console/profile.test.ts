import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { Browser } from '../helpers/browser.ts'
import { textOf } from '../helpers/html.ts'
import { type Answer, password, startServer, type TestServer } from '../helpers/server.ts'

/** /profile, the second step of signing in, and the links with which people set a password. */

let server: TestServer
const newPassword = 'a completely different one'

before(async () => {
  server = await startServer()
  await server.newAccount('op@example.com', 'operator')
})
// A new window of the throttles, and a new time step of the codes, for each test.
afterEach(() => server.clock.advance(60))
after(() => server.close())

let made = 0
async function newPerson(role: 'merchant' | 'developer' = 'merchant') {
  const account = await server.newAccount(`person${made++}@example.com`, role)
  return { account, browser: await signedIn(account.email) }
}

async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser(server.base)
  await browser.signIn(email)
  return browser
}

const isSignedIn = async (browser: Browser) => (await browser.open('/profile')).status === 200
const actions = async (account_id: string) =>
  (await server.storage.audit.list({ account_id, limit: 9, scan_limit: 10 })).lines.map(
    ({ action }) => action,
  )

/** The form of a page by its action, sent with these fields. */
async function send(browser: Browser, page: Answer, action: string, fields: Record<string, string> = {}) {
  const csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ _csrf: csrf, ...fields })
  return browser.open(action, { method: 'POST', body })
}

describe('the password', () => {
  test('a person changes it: signed in here, signed out elsewhere, and the old one works no more', async () => {
    const { account, browser } = await newPerson()
    const elsewhere = await signedIn(account.email)
    const page = await browser.open('/profile/password')
    const answer = await browser.submit(page, { current: password, password: newPassword })
    assert.match(textOf(answer.text), /Your password has been changed/)
    assert.deepEqual([await isSignedIn(browser), await isSignedIn(elsewhere)], [true, false])
    assert.match((await new Browser(server.base).signIn(account.email)).text, /Wrong email or password/)
    assert.doesNotMatch((await new Browser(server.base).signIn(account.email, newPassword)).text, /Wrong/)
    assert.ok((await actions(account.id)).includes('password_changed'))
  })

  test('needs the current one, and the rules of a new one', async () => {
    const { browser } = await newPerson()
    const page = await browser.open('/profile/password')
    for (const [fields, reason] of [
      [{ current: 'wrong', password: newPassword }, /not your current password/],
      [{ current: password, password: 'short' }, /must have 10 to 1024/],
    ] as const) {
      const answer = await browser.submit(page, fields)
      assert.equal(answer.status, 422)
      assert.match(answer.text, reason)
      assert.doesNotMatch(answer.text, /value="(wrong|short)"/)
    }
    assert.equal(await isSignedIn(browser), true)
  })

  test('guessing the current one is slowed down like a sign-in', async () => {
    const { browser } = await newPerson()
    const page = await browser.open('/profile/password')
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) {
      statuses.push((await browser.submit(page, { current: 'wrong', password: newPassword })).status)
    }
    assert.deepEqual(statuses, [...Array(10).fill(422), 429])
  })
})

describe('sessions', () => {
  test('are listed with their browser; one or all others can be ended', async () => {
    const { account, browser } = await newPerson('developer')
    const [second, third] = [await signedIn(account.email), await signedIn(account.email)]
    const page = await browser.open('/profile')
    assert.equal(page.text.match(/127\.0\.0\.1/g)?.length, 3)
    assert.equal(textOf(page.text).match(/This browser/g)?.length, 1)
    const ends = [...page.text.matchAll(/action="(\/profile\/sessions\/[\w-]{16}\/end)"/g)]
    assert.equal(ends.length, 2)
    await send(browser, page, ends[0]?.[1] ?? '')
    const left = [await isSignedIn(second), await isSignedIn(third)]
    assert.deepEqual(left.sort(), [false, true])
    await send(browser, page, '/profile/sessions/end-others')
    assert.deepEqual(
      [await isSignedIn(browser), await isSignedIn(second), await isSignedIn(third)],
      [true, false, false],
    )
    assert.ok((await actions(account.id)).length > 0)
  })

  test('nobody ends a session of somebody else', async () => {
    const { account, browser } = await newPerson()
    const stranger = (await newPerson()).browser
    const [session] = await server.storage.sessions.ofAccount(account.id, server.clock.now())
    const page = await stranger.open('/profile')
    await send(stranger, page, `/profile/sessions/${session?.hash.slice(0, 16)}/end`)
    assert.equal(await isSignedIn(browser), true)
  })
})

describe('a password link', () => {
  const linkOn = ({ text }: Answer) => /\/password\/[\w-]{43}/.exec(text)?.[0] ?? ''

  test('an operator creates an account; its owner sets the password, once', async () => {
    const operator = await signedIn('op@example.com')
    const form = await operator.open('/operator/accounts/new')
    const created = await operator.submit(form, {
      email: 'New@Shop.example',
      role: 'merchant',
      current: password,
    })
    const link = linkOn(created)
    assert.notEqual(link, '')
    const again = await operator.submit(form, {
      email: 'New@Shop.example',
      role: 'merchant',
      current: password,
    })
    assert.deepEqual([again.status, linkOn(again)], [409, ''])
    const owner = new Browser(server.base)
    const page = await owner.open(link)
    assert.match(page.text, /new@shop\.example/)
    assert.equal((await owner.submit(page, { password: 'short' })).status, 422)
    assert.equal((await owner.submit(page, { password: newPassword })).status, 200)
    assert.equal((await owner.submit(page, { password: 'another long one' })).status, 410)
    assert.equal((await owner.open(link)).status, 410)
    assert.doesNotMatch((await owner.signIn('new@shop.example', newPassword)).text, /Wrong/)
    const account = await server.accounts.findByEmail('new@shop.example')
    const found = await actions(account?.id ?? '')
    for (const action of ['account_created', 'password_link_created', 'password_changed']) {
      assert.ok(found.includes(action as 'sign_in'), action)
    }
  })

  test('ends after two days, with a newer password and with the account', async () => {
    const operator = await signedIn('op@example.com')
    const { account } = await newPerson()
    const create = async () =>
      linkOn(
        await operator.submit(await operator.open(`/operator/accounts/${account.id}/password-link`), {
          current: password,
        }),
      )
    const status = async (link: string) => (await server.get(link)).status
    const [first, second, third] = [await create(), await create(), await create()]
    assert.deepEqual([await status(first), await status(second)], [200, 200])
    const owner = new Browser(server.base)
    await owner.submit(await owner.open(first), { password: newPassword })
    assert.deepEqual([await status(second), await status(third)], [410, 410])
    const fourth = await create()
    const { storage, clock } = server
    await storage.accounts.setDisabled(account.id, clock.now(), clock.now())
    assert.equal(await status(fourth), 410)
    await storage.accounts.setDisabled(account.id, null, clock.now())
    assert.equal(await status(fourth), 200)
    clock.advance(48 * 3600)
    assert.equal(await status(fourth), 410)
  })

  test('an open browser of an operator is not enough: the own password is asked for, and not for the own account', async () => {
    const operator = await signedIn('op@example.com')
    const own = await server.accounts.findByEmail('op@example.com')
    const { account } = await newPerson()
    const settings = await operator.open('/operator/settings')
    for (const page of ['password-link', 'two-factor-off']) {
      const without = await send(operator, settings, `/operator/accounts/${account.id}/${page}`, {
        current: 'no',
      })
      assert.equal(without.status, 422, page)
      const self = `/operator/accounts/${own?.id}/${page}`
      assert.equal((await send(operator, settings, self, { current: password })).status, 409, page)
      assert.equal((await operator.open(self)).status, 409, page)
    }
  })

  test('creating an account refuses an email that is taken, and a role that does not exist', async () => {
    const operator = await signedIn('op@example.com')
    for (const fields of [
      { email: 'op@example.com', role: 'operator' },
      { email: 'fine@example.com', role: 'king' },
      { email: 'no address', role: 'merchant' },
      { email: 'fine@example.com', role: 'merchant', current: 'wrong' },
    ]) {
      const answer = await operator.submit(await operator.open('/operator/accounts/new'), {
        current: password,
        ...fields,
      })
      assert.equal(answer.status, 422, JSON.stringify(fields))
    }
    assert.equal(await server.accounts.findByEmail('fine@example.com'), null)
  })
})

describe('two-factor authentication', () => {
  const secretOn = ({ text }: Answer) => /name="secret" value="([A-Z2-7]{32})"/.exec(text)?.[1] ?? ''
  const codeOf = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: (server.clock.now() + 30 * steps) * 1000,
    })

  async function turnOn(browser: Browser) {
    const page = await browser.open('/profile/two-factor')
    const secret = secretOn(page)
    const shown = await browser.submit(page, { code: codeOf(secret), current: password })
    const codes = [...shown.text.matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(([, code]) => code ?? '')
    assert.equal(codes.length, 10)
    return { secret, codes }
  }

  async function withPassword(email: string) {
    const browser = new Browser(server.base)
    return { browser, page: await browser.signIn(email) }
  }

  test('with it a password alone does not sign in; a code does, once', async () => {
    const { account, browser } = await newPerson()
    const { secret } = await turnOn(browser)
    server.clock.advance(30)
    const { browser: other, page } = await withPassword(account.email)
    assert.match(page.text, /<h1>Enter your code/)
    assert.equal(await isSignedIn(other), false)
    assert.equal((await other.submit(page, { code: '000000' })).status, 401)
    const code = codeOf(secret)
    await other.submit(page, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    assert.equal(await isSignedIn(other), true)
    const { browser: thief, page: again } = await withPassword(account.email)
    assert.equal((await thief.submit(again, { code })).status, 401)
    assert.equal(await isSignedIn(thief), false)
  })

  test('a recovery code works once, however it is typed', async () => {
    const { account, browser } = await newPerson()
    const { codes } = await turnOn(browser)
    const typed = codes[3]?.replaceAll('-', ' ').toUpperCase() ?? ''
    const statuses: boolean[] = []
    for (let i = 0; i < 2; i++) {
      const { browser: other, page } = await withPassword(account.email)
      await other.submit(page, { code: typed })
      statuses.push(await isSignedIn(other))
    }
    assert.deepEqual(statuses, [true, false])
    assert.match(textOf((await browser.open('/profile')).text), /Recovery codes left: 9/)
  })

  test('guessing codes is slowed down, from wherever it comes', async () => {
    const { account, browser } = await newPerson()
    const { secret, codes } = await turnOn(browser)
    server.clock.advance(60)
    const { browser: thief, page } = await withPassword(account.email)
    for (let i = 0; i < 5; i++) assert.equal((await thief.submit(page, { code: '000000' })).status, 401)
    const answer = await thief.submit(page, { code: codeOf(secret) })
    assert.deepEqual([answer.status, await isSignedIn(thief)], [429, false])
    // The owner is not locked out: a recovery code cannot be guessed.
    const { browser: owner, page: own } = await withPassword(account.email)
    await owner.submit(own, { code: codes[0] ?? '' })
    assert.equal(await isSignedIn(owner), true)
  })

  test('a code may be typed in full width, and other characters beyond ASCII are a wrong code', async () => {
    const { account, browser } = await newPerson()
    const { secret, codes } = await turnOn(browser)
    server.clock.advance(60)
    const inFullWidth = (text: string) =>
      text.replace(/[\da-z]/g, char => String.fromCharCode(char.charCodeAt(0) + 0xfee0))
    for (const right of [codeOf(secret), codes[0] ?? '']) {
      const { browser: person, page } = await withPassword(account.email)
      await person.submit(page, { code: inFullWidth(right) })
      assert.equal(await isSignedIn(person), true, right)
    }
    const { browser: stranger, page } = await withPassword(account.email)
    for (const code of ['ééé123', '12345\ud800', '１２３４５'])
      assert.equal((await stranger.submit(page, { code })).status, 401, code)
    // Guesses in full width count like others.
    for (let i = 0; i < 5; i++) await stranger.submit(page, { code: '００００００' })
    assert.equal((await stranger.submit(page, { code: '０００００１' })).status, 429)
  })

  test('the step between password and code ends with the password, and after ten minutes', async () => {
    const { account, browser } = await newPerson()
    const { secret } = await turnOn(browser)
    const { browser: slow, page } = await withPassword(account.email)
    server.clock.advance(601)
    await slow.submit(page, { code: codeOf(secret) })
    assert.equal(await isSignedIn(slow), false)
    const { browser: thief, page: next } = await withPassword(account.email)
    const found = await server.storage.accounts.find(account.id)
    assert.ok(found)
    await server.accounts.setPassword(found, newPassword, {
      actor_kind: 'server',
      actor_id: null,
      actor_name: null,
      address: null,
      request_id: null,
    })
    await thief.submit(next, { code: codeOf(secret) })
    assert.equal(await isSignedIn(thief), false)
  })

  test('a second step that comes too late leads back to the page that the person wanted', async () => {
    const { account, browser } = await newPerson()
    const { codes } = await turnOn(browser)
    const wanted = '/account/activity'
    const late = new Browser(server.base)
    const login = await late.open(`/login?next=${encodeURIComponent(wanted)}`)
    const page = await late.submit(login, { email: account.email, password })
    assert.match(page.text, /href="\/login\?next&#61;%2Faccount%2Factivity">Start again/)
    // Another tab of the same browser still shows the form to set the codes up.
    const elsewhere = await send(late, page, '/login/set-up', { next: wanted })
    assert.equal(elsewhere.headers.get('location'), '/login/code?next=%2Faccount%2Factivity')
    server.clock.advance(601)
    const again = await late.submit(page, { code: '000000' })
    const code = await late.submit(again, { email: account.email, password })
    assert.match((await late.submit(code, { code: codes[0] ?? '' })).text, /<h1>Activity/)
  })

  test('turning it on needs a right code and the password; turning it off the password', async () => {
    const { account, browser } = await newPerson()
    const page = await browser.open('/profile/two-factor')
    const secret = secretOn(page)
    const wrong = [
      { code: '000000', current: password },
      { code: codeOf(secret), current: 'wrong' },
    ]
    for (const fields of wrong) {
      const answer = await browser.submit(page, fields)
      assert.deepEqual([answer.status, secretOn(answer)], [422, secret])
    }
    assert.equal(await server.storage.twoFactors.find(account.id), null)
    await turnOn(browser)
    const off = await browser.open('/profile/two-factor/off')
    assert.equal((await browser.submit(off, { current: 'wrong' })).status, 422)
    assert.match((await browser.submit(off, { current: password })).text, /Two-factor authentication is off/)
    assert.equal(await isSignedIn(await signedIn(account.email)), true)
    const found = await actions(account.id)
    assert.ok(found.includes('two_factor_on') && found.includes('two_factor_off'))
  })

  test('an operator requires it of a role: the next sign-in sets it up, and nobody turns it off', async t => {
    const operator = await signedIn('op@example.com')
    const settings = await operator.open('/operator/settings')
    const set = (roles: Record<string, string>) =>
      send(operator, settings, '/operator/settings', { two_factor: 'save', ...roles })
    await set({ roles: 'developer' })
    t.after(() => set({}))
    const account = await server.newAccount('required@example.com', 'developer')
    const { browser, page } = await withPassword(account.email)
    assert.match(page.text, /<h1>Set up two-factor/)
    assert.equal(await isSignedIn(browser), false)
    assert.equal((await browser.open('/developer/apps')).status, 303)
    const secret = secretOn(page)
    const shown = await browser.submit(page, { code: codeOf(secret) })
    assert.match(shown.text, /Your recovery codes/)
    assert.equal(await isSignedIn(browser), true)
    const off = await browser.open('/profile/two-factor/off')
    assert.equal((await browser.submit(off, { current: password })).status, 409)
    // The password alone must not replace the codes of an account that has them.
    const { browser: thief } = await withPassword(account.email)
    await thief.submit(await thief.open('/login/set-up'), { code: '000000' })
    assert.equal(await isSignedIn(thief), false)
    assert.equal((await server.storage.twoFactors.find(account.id))?.secret, secret)
    assert.equal(await isSignedIn((await newPerson('merchant')).browser), true)
  })

  test('where it is required, neither sign-up nor a new password begins a session without it', async t => {
    const { storage } = server
    await storage.switches.set('sign_up', true)
    const { account, browser } = await newPerson('developer')
    await storage.switches.set('two_factor_developer', true)
    t.after(() => storage.switches.set('two_factor_developer', false))
    const page = await browser.open('/profile/password')
    const changed = await browser.submit(page, { current: password, password: newPassword })
    assert.match(changed.text, /<h1>Set up two-factor/)
    assert.equal(await isSignedIn(browser), false)
    await browser.submit(changed, { code: codeOf(secretOn(changed)) })
    assert.equal(await isSignedIn(browser), true)
    assert.notEqual(await storage.twoFactors.find(account.id), null)
    const stranger = new Browser(server.base)
    const signedUp = await stranger.submit(await stranger.open('/signup'), {
      email: 'required-at-once@example.com',
      password,
    })
    assert.match(signedUp.text, /<h1>Set up two-factor/)
    assert.equal(await isSignedIn(stranger), false)
  })

  test('an operator turns it off for a person who has lost the phone', async () => {
    const operator = await signedIn('op@example.com')
    const { account, browser } = await newPerson()
    await turnOn(browser)
    await operator.submit(await operator.open(`/operator/accounts/${account.id}/two-factor-off`), {
      current: password,
    })
    assert.equal(await isSignedIn(await signedIn(account.email)), true)
  })
})
