import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { createMail } from '../../src/domain/accounts/mail.ts'
import { platformOwner } from '../../src/storage/port/index.ts'
import { Browser } from '../helpers/browser.ts'
import { png } from '../helpers/images.ts'
import { password, startServer, type TestServer } from '../helpers/server.ts'

/** Password links by mail, received by a real SMTP server. */

let server: TestServer
let isRefusing = false
const received: { to: string[]; text: string }[] = []
let onMail = () => {}

const smtp = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  onAuth: ({ username, password: given }, _session, done) =>
    username === 'till' && given === 'p@ss' ? done(null, { user: 'till' }) : done(new Error('no')),
  onData(stream, session, done) {
    let text = ''
    stream.on('data', chunk => (text += chunk))
    stream.on('end', () => {
      if (isRefusing) return done(new Error('mailbox full'))
      received.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
      done()
      onMail()
    })
  },
})

before(async () => {
  const listening = once(smtp.listen(0, '127.0.0.1'), 'listening')
  await listening
  const { port } = smtp.server.address() as AddressInfo
  const smtp_url = `smtp://till:p%40ss@127.0.0.1:${port}`
  server = await startServer({ config: { smtp_url, mail_from: 'Harbour POS <pos@example.com>' } })
  await server.newAccount('op@example.com', 'operator')
  await server.newAccount('owner@example.com')
})
afterEach(() => {
  received.length = 0
  isRefusing = false
  server.clock.advance(3600)
})
after(async () => {
  await server.close()
  await new Promise<void>(resolve => smtp.close(resolve))
})

/** Resolves when so many have arrived. */
const mailsTo = (email: string, count: number) =>
  new Promise<void>(resolve => {
    onMail = () => {
      if (received.filter(({ to }) => to[0] === email).length === count) resolve()
    }
    onMail()
  })
/** The body is quoted-printable: a line that ends with = goes on. */
const linkIn = (text: string) => /\/password\/[\w-]{43}/.exec(text.replace(/=\r?\n/g, ''))?.[0] ?? ''

async function ask(email: string) {
  const browser = new Browser(server.base)
  assert.match((await browser.open('/login')).text, /Forgot your password/)
  return browser.submit(await browser.open('/login/forgot'), { email })
}

test('to another machine without TLS nothing is sent, not even the password', async () => {
  const commands: string[] = []
  const plain = createServer(socket => {
    socket.on('error', () => {})
    socket.write('220 mail\r\n')
    socket.on('data', data => {
      commands.push(String(data))
      const offers = '250-mail\r\n250 AUTH PLAIN LOGIN\r\n'
      socket.write(String(data).startsWith('EHLO') ? offers : '502 not here\r\n')
    })
  })
  // Any address other than the loopback addresses that the rule names.
  plain.listen(0, '127.0.0.2')
  await once(plain, 'listening')
  const { port } = plain.address() as AddressInfo
  const mail = createMail({ smtp_url: `smtp://till:p%40ss@127.0.0.2:${port}`, mail_from: 'pos@example.com' })
  try {
    const sent = mail?.send({ to: 'owner@example.com', subject: 'A link', text: '/password/secret' })
    await assert.rejects(sent ?? Promise.resolve(), { code: 'ETLS' })
  } finally {
    plain.close()
  }
  assert.match(commands.join(''), /^EHLO [^\r]+\r\nSTARTTLS\r\n(QUIT\r\n)?$/)
})

test('a forgotten password: the mail has a link that sets a new one', async () => {
  const answer = await ask(' Owner@example.com')
  assert.match(answer.text, /a link to set a new password is on its way/)
  await mailsTo('owner@example.com', 1)
  const [mail] = received
  assert.deepEqual(mail?.to, ['owner@example.com'])
  assert.match(mail?.text ?? '', /From: Harbour POS <pos@example.com>/)
  const owner = new Browser(server.base)
  await owner.submit(await owner.open(linkIn(mail?.text ?? '')), { password: 'a brand new password' })
  assert.doesNotMatch((await owner.signIn('owner@example.com', 'a brand new password')).text, /Wrong/)
  assert.match((await new Browser(server.base).signIn('owner@example.com', password)).text, /Wrong/)
})

test('an unknown email gets the same answer and no mail; an account gets at most three an hour', async () => {
  const known = await ask('owner@example.com')
  const unknown = await ask('nobody@example.com')
  assert.equal(unknown.text, known.text)
  for (let i = 0; i < 2; i++) await ask('owner@example.com')
  await mailsTo('owner@example.com', 3)
  await ask('owner@example.com')
  await server.newAccount('last@example.com')
  await ask('last@example.com')
  await mailsTo('last@example.com', 1)
  assert.equal(received.length, 4)
})

test('the mail shows the platform’s name, logo and support address', async () => {
  const { storage } = server
  await storage.brand.save({ name: 'Harbour <POS>', accent: null, support: 'help@example.com' })
  await storage.logos.set(platformOwner, { type: 'image/png', version: 'v', content: png(2, 2) })
  await ask('owner@example.com')
  await mailsTo('owner@example.com', 1)
  const text = received[0]?.text.replace(/=\r?\n/g, '') ?? ''
  assert.match(text, /Subject: Set your password at Harbour <POS>/)
  assert.match(text, /your account at Harbour <POS> \(127\.0\.0\.1:\d+\):/)
  assert.match(text, /Need help\? help@example\.com/)
  assert.match(text, /<img src=3D"cid:logo" alt=3D"Harbour &#60;POS&#62;"/)
  assert.ok(received[0]?.text.replace(/\r?\n/g, '').includes(png(2, 2).toString('base64')))
  await storage.logos.set(platformOwner, null)
  await storage.brand.save({ name: null, accent: null, support: null })
})

test('an operator’s link is mailed and not shown; when the mail server refuses it, it is shown', async () => {
  const operator = new Browser(server.base)
  await operator.signIn('op@example.com')
  const create = async (email: string) =>
    operator.submit(await operator.open('/operator/accounts/new'), {
      email,
      role: 'developer',
      current: password,
    })
  const mailed = await create('one@example.com')
  assert.match(mailed.text, /has mailed one@example.com/)
  assert.equal(linkIn(mailed.text), '')
  assert.equal((await server.get(linkIn(received[0]?.text ?? ''))).status, 200)
  isRefusing = true
  const shown = await create('two@example.com')
  assert.equal((await server.get(linkIn(shown.text))).status, 200)
  const noticed = server.events().find(({ msg }) => msg === 'a password link was not mailed')
  assert.match(noticed?.reason ?? '', /EMESSAGE/)
  assert.doesNotMatch(server.log.join(''), /p@ss|p%40ss/)
})
