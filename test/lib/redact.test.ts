import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { redactQuery, redactText } from '../../src/lib/redact.ts'

const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'
const secret = 'Zk3vQ0d-7uYxWb_9LrTtS1aPqN8mHcEfGjKoIiUyRwA'

test('a query without secrets stays as it was sent', () => {
  for (const query of [
    'store_id=1001&start_date=2026-11-01+00:00:00&end_date=2026-11-02%2000%3A00%3A00&count=2001',
    'store_id=9223372036854775807&after=17&feed=0123456789abcdef01234567-oi&kinds=order,item&wait=31',
    `feed=${'0123456789abcdef'.repeat(2)}-o&after=x`,
    `store_id=1001&cursor=${Buffer.from('["abc12","1793534400","Order-Number-17-of-Store-1001"]').toString('base64url')}`,
    'store_id=x&store_id=y&&;=&flag',
    `store_id=${'9'.repeat(100)}`,
    'from=2026-11-01T00:00:00.000Z&limit=50&page[size]=3',
    'q=<script>alert(1)</script>&x=%E2%80%9C',
    '',
  ]) {
    assert.equal(redactQuery(query, 500), query)
  }
})

test('the value of a parameter that is named like a secret is removed, however the name is written', () => {
  for (const name of [
    'access_token',
    'token',
    'code',
    'client_secret',
    'refresh_token',
    'ACCESS_TOKEN',
    'token[]',
    'x-api-key',
    'password',
    'id_token_hint',
    'code_verifier',
    'Authorization',
    '_csrf',
  ]) {
    assert.equal(redactQuery(`a=1&${name}=abc&b=2`, 500), `a=1&${name}=[removed]&b=2`)
  }
  assert.equal(redactQuery('%74oken=abc', 500), '%74oken=[removed]')
  assert.equal(redactQuery('a=1;token=abc;b=2', 500), 'a=1;token=[removed];b=2')
  assert.equal(redactQuery('token%3Dabc', 500), 'token=[removed]')
  assert.equal(redactQuery('token=', 500), 'token=')
})

test('a value that looks like a token is removed under any name, and also as a name', () => {
  const encoded = [...secret].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('')
  for (const value of [
    jwt,
    jwt.slice(0, 12),
    secret,
    secret.slice(0, 20),
    `Bearer ${secret.slice(0, 5)}`,
    'bearer+abc',
    'Basic%20QTpC',
    encoded,
    encodeURIComponent(encoded),
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    '5f4dcc3b5aa765d61d8327deb882cf99',
  ]) {
    assert.equal(redactQuery(`x=${value}&count=1`, 500), 'x=[removed]&count=1')
    assert.equal(redactQuery(`feed=${value}`, 500), 'feed=[removed]')
  }
  assert.equal(redactQuery(`${secret}&a=1`, 500), '[removed]&a=1')
  assert.equal(redactQuery(`${secret}=1`, 500), '[removed]')
})

test('a message loses the values that look like a token, and nothing else', () => {
  const message =
    'count was "2001"; the maximum is 2000; to read everything without windows, follow GET /integration/v1/changes: https://pos-gateway-17.internal.example.com:3000/docs#tag/changes'
  assert.equal(redactText(message, 1000), message)
  assert.equal(
    redactText(`store_id was ${JSON.stringify(`${jwt.slice(0, 40)}…`)}; it must be a whole number`, 1000),
    'store_id was [removed]; it must be a whole number',
  )
  assert.equal(redactText('kinds was "wJalrXUtnFEMI/K7MDENG/bPxR"', 1000), 'kinds was [removed]')
  assert.equal(
    redactText(`No endpoint has the path /x/${secret}/y`, 1000),
    'No endpoint has the path /x/[removed]/y',
  )
})

test('whatever the text is, the result is bounded, printable and well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), text => {
      for (const kept of [redactQuery(text, 50), redactText(text, 50)]) {
        // Characters that are escaped grow.
        assert.ok(kept.length <= 51 * 8)
        assert.ok(kept.isWellFormed())
        assert.doesNotMatch(kept, /\p{Cc}/u)
      }
    }),
  )
  assert.equal(redactQuery('a=1&'.repeat(5000), 500).length, 501)
  assert.equal(redactQuery(`after=${'1'.repeat(16_000)}&count=1`, 500), `after=${'1'.repeat(200)}…&count=1`)
})
