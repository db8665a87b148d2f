import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { suite, test } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createSend, type Lookup } from '../../src/domain/webhooks/send.ts'
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
    'https://１２７。0。0。1/',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://example.com/#part',
    'https://example.com/#',
    'https://example.com:65536/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com/hook',
    '',
    `https://example.com/${'x'.repeat(2000)}`,
    `https://example.com/${'é'.repeat(400)}`,
  ]) {
    test(`no endpoint at ${url.slice(0, 60)}`, () => {
      assert.throws(() => checkUrl(url, none), { name: 'InputError' })
      if (!url.startsWith('http://example')) {
        const rules = createAddressRules('192.0.2.0/24')
        assert.throws(() => checkUrl(url, rules), { name: 'InputError' })
      }
    })
  }

  test('a loopback name is refused, unless the operator names addresses', () => {
    for (const url of ['https://localhost/', 'https://LOCALHOST.:8443/', 'https://hooks.localhost/'])
      assert.throws(() => checkUrl(url, none), { name: 'InputError' }, url)
    assert.equal(checkUrl('https://localhost.example/', none), 'https://localhost.example/')
    const named = createAddressRules('127.0.0.1')
    assert.equal(checkUrl('http://localhost:3000/hook', named), 'http://localhost:3000/hook')
  })

  test('http to a name at a public address can be added, and is refused at delivery', async () => {
    const rules = createAddressRules('127.0.0.1')
    const url = checkUrl('http://hooks.example.com/', rules)
    const { status, problem } = await createSend(
      rules,
      2000,
      resolver(() => ['8.8.8.8']),
    )(url, {}, '')
    assert.deepEqual(
      [status, problem],
      [null, 'http is allowed only for addresses that TILLGATE_WEBHOOK_ALLOW names'],
    )
  })

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
    assert.match((await other(`http://localhost:${port}/`, {}, '')).problem ?? '', /http is allowed only for/)
    assert.equal(requests, 0)
    const named = createSend(createAddressRules('127.0.0.1'), 2000)
    assert.equal((await named(`http://localhost:${port}/`, {}, '')).status, 200)
  })

  for (const [allowed, forbidden] of [
    ['127.0.0.2', '127.0.0.1'],
    ['127.0.0.2', '::1'],
    ['::1', '127.0.0.1'],
    ['::1', '::ffff:127.0.0.1'],
  ] as const) {
    test(`a resolver that changes its answer from ${allowed} to ${forbidden} never leads there`, async t => {
      const arrived: (string | undefined)[] = []
      const listen = async (address: string, port: number) => {
        const server = createServer(({ socket }, response) => {
          arrived.push(socket.localAddress)
          response.end()
        })
        t.after(() => server.close())
        server.listen(port, address)
        await once(server, 'listening')
        return (server.address() as AddressInfo).port
      }
      const port = await listen(allowed, 0)
      await listen(forbidden.replace('::ffff:', ''), port)
      const url = `http://rebinding.example:${port}/`

      /** Answers one address, then the other, and so on. */
      let asked = 0
      const changing = resolver(() => [asked++ % 2 === 0 ? allowed : forbidden])
      const send = createSend(createAddressRules(allowed), 2000, changing)
      const answers = [await send(url, {}, ''), await send(url, {}, '')]
      assert.deepEqual(
        answers.map(({ status, problem }) => [status, problem?.includes('http is allowed only for')]),
        [
          [200, undefined],
          [null, true],
        ],
      )
      assert.equal(asked, 2, 'one look-up for each attempt')

      // Both at once: the one that is not allowed is never tried, in whatever order they come.
      for (const both of [
        [allowed, forbidden],
        [forbidden, allowed],
      ]) {
        const mixed = createSend(
          createAddressRules(allowed),
          2000,
          resolver(() => both),
        )
        assert.equal((await mixed(url, {}, '')).status, 200)
      }
      assert.deepEqual(arrived, [allowed, allowed, allowed])
    })
  }
})

/** A resolver in the place of the system's, with the same options and forms of an answer. */
const resolver = (answer: () => string[]): Lookup =>
  ((_hostname: string, { all }: { all?: boolean }, callback: (...result: unknown[]) => void) => {
    const found = answer().map(address => ({ address, family: isIP(address) }))
    const [first] = found
    process.nextTick(() =>
      all ? callback(null, found) : callback(null, first?.address ?? '', first?.family ?? 0),
    )
  }) as Lookup
