import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createSend } from '../../src/domain/webhooks/send.ts'
import { checkUrl } from '../../src/domain/webhooks/url.ts'

const none = createAddressRules('')

const forbidden = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fc00::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'not an address',
]

suite('where webhooks may be sent', () => {
  for (const address of forbidden) {
    test(`${address} is not called`, () => {
      assert.equal(none.mayCall(address, 'https:'), false)
    })
  }

  test('public addresses are called by https only', () => {
    for (const address of ['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8']) {
      assert.equal(none.mayCall(address, 'https:'), true)
      assert.equal(none.mayCall(address, 'http:'), false)
    }
  })

  test('a named address or range is called by http too, in its mapped form as well', () => {
    const rules = createAddressRules('10.1.0.0/16, 127.0.0.1, fd00::/8')
    for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:127.0.0.1', 'fd12::1'])
      assert.equal(rules.mayCall(address, 'http:'), true, address)
    for (const address of ['10.2.0.1', '127.0.0.2', '::1', '8.8.8.8'])
      assert.equal(rules.mayCall(address, 'http:'), false, address)
  })

  for (const url of [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://example.com/#part',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com/hook',
    '',
    `https://example.com/${'x'.repeat(2000)}`,
  ]) {
    test(`no endpoint at ${url.slice(0, 60)}`, () => {
      assert.throws(() => checkUrl(url, none), { name: 'InputError' })
      if (!url.startsWith('http://example')) {
        const rules = createAddressRules('192.0.2.0/24')
        assert.throws(() => checkUrl(url, rules), { name: 'InputError' })
      }
    })
  }

  test('a name is refused when its addresses are private, whatever they were before', async t => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests++
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const forbids = /not a public one/
    // `localhost` is a name with private addresses; the check sees the answer that the connection uses.
    assert.match((await createSend(none, 2000)(`https://localhost:${port}/`, {}, '')).problem ?? '', forbids)
    assert.match((await createSend(none, 2000)(`https://127.0.0.1:${port}/`, {}, '')).problem ?? '', forbids)
    const other = createSend(createAddressRules('192.0.2.1'), 2000)
    assert.match((await other(`http://localhost:${port}/`, {}, '')).problem ?? '', forbids)
    assert.equal(requests, 0)
    const named = createSend(createAddressRules('127.0.0.1'), 2000)
    assert.equal((await named(`http://localhost:${port}/`, {}, '')).status, 200)
  })
})
