import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { byTest } from '../helpers/by.ts'
import { Browser } from '../helpers/browser.ts'
import { password, startServer, type TestServer } from '../helpers/server.ts'

/** Whether somebody has an account is not told by how long a refusal takes. */

let server: TestServer

before(async () => {
  server = await startServer()
  // With real hashes: those of newAccount take no time.
  const create = (email: string) => server.accounts.create({ email, role: 'merchant', password }, byTest)
  await create('owner@example.com')
  const gone = await create('gone@example.com')
  await server.accounts.setDisabled(gone, true, byTest)
})

after(() => server.close())

const rounds = 20

async function refusal(browser: Browser, email: string): Promise<number> {
  const page = await browser.open('/login')
  const began = performance.now()
  const answer = await browser.submit(page, { email, password: 'not their password' })
  const took = performance.now() - began
  assert.equal(answer.status, 401)
  // Counters of failed attempts begin anew.
  server.clock.advance(60)
  return took
}

/** How often one that is picked from `these` took longer than one from `those`: one half when they are alike. */
const longer = (these: readonly number[], those: readonly number[]): number =>
  these.flatMap(a => those.map(b => Number(a > b))).reduce((sum, one) => sum + one) /
  (these.length * those.length)

test('a guess by time whether an account exists is hardly better than chance', async t => {
  const emails = ['owner@example.com', 'nobody@example.com', 'gone@example.com']
  const times = new Map(emails.map(email => [email, [] as number[]]))
  const browser = new Browser(server.base)
  for (const email of emails) await refusal(browser, email)
  // In turns, so that what else the machine does weighs on all of them alike.
  for (let round = 0; round < rounds; round++) {
    for (const email of emails) times.get(email)?.push(await refusal(browser, email))
  }
  const known = times.get('owner@example.com') ?? []
  for (const email of emails.slice(1)) {
    const share = longer(known, times.get(email) ?? [])
    t.diagnostic(`${email}: an account took longer in ${Math.round(share * 100)} of 100 pairs`)
    // Without the work of a hash it would be 100. Twenty of each are within 15 and 85 by chance, save once in 10,000.
    assert.ok(share > 0.15 && share < 0.85, `${email}: ${share}`)
  }
})
