import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { table } from '../../src/cli/shared/table.ts'
import { printable } from '../../src/lib/printable.ts'
import { warningsOf } from '../../src/server/warnings.ts'

/** What an operator gets without asking: warnings, containers that can do little, a terminal that nobody writes to. */

const issuer = 'https://pos.example.com'
const warned = (database: string) => warningsOf({ trust_proxy: 'loopback', database }, issuer)

describe('at its start the server warns of', () => {
  test('a database file that other users may open', t => {
    const folder = mkdtempSync(join(tmpdir(), 'tillgate-mode-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'tillgate.db')
    assert.deepEqual(warned(file), [])
    writeFileSync(file, '')
    for (const [mode, warnings] of [
      [0o600, 0],
      [0o640, 1],
      [0o604, 1],
      [0o666, 1],
    ] as const) {
      chmodSync(file, mode)
      assert.equal(warned(file).length, warnings, mode.toString(8))
    }
    assert.match(warned(file)[0] ?? '', /mode 666.*chmod 600/)
    chmodSync(file, 0o600)
    for (const [mode, warnings] of [
      [0o755, 0],
      [0o1777, 0],
      [0o777, 1],
    ] as const) {
      chmodSync(folder, mode)
      assert.equal(warned(file).length, warnings, `folder ${mode.toString(8)}`)
    }
    assert.match(warned(file)[0] ?? '', /replace the database file.*chmod o-w/)
  })

  for (const [database, warnings] of [
    ['postgres://t:p@db.example.com/t', 1],
    ['postgresql://t:p@10.0.0.5:5432/t?prepare=false', 1],
    ['postgres://t:p@db.example.com/t?sslmode=verify-full', 0],
    ['postgres://t:p@db.example.com/t?sslmode=require', 1],
    ['postgres://t:p@db.example.com/t?sslmode=disable', 1],
    ['postgres://t:p@db.example.com/t?sslmode=prefer', 1],
    ['postgres://t:p@localhost/t?sslmode=disable', 0],
    ['postgres://t:p@localhost/t', 0],
    ['postgres://t:p@127.0.0.1/t', 0],
    ['postgres:///t?host=/var/run/postgresql', 0],
  ] as const) {
    test(`${warnings === 0 ? 'nothing' : 'a connection that others may read or answer'}: ${database}`, () => {
      const found = warned(database)
      assert.equal(found.length, warnings)
      assert.doesNotMatch(found.join(), /:p@/, 'the password is not part of it')
    })
  }

  test('a connection to the read replica that may be in the clear', () => {
    const database = 'postgres://t:p@db.example.com/t?sslmode=verify-full'
    const read_database = 'postgres://t:p@replica.example.com/t'
    const found = warningsOf({ trust_proxy: 'loopback', database, read_database }, issuer)
    assert.equal(found.length, 1)
    assert.match(found.join(), /TILLGATE_READ_DATABASE may be neither encrypted/)
  })

  test('an address that is not https, and a proxy that nobody named', () => {
    const settings = { trust_proxy: '', database: ':memory:' }
    assert.match(warningsOf(settings, 'http://pos.example.com').join(), /sent unencrypted/)
    assert.match(warningsOf(settings, issuer).join(), /TILLGATE_TRUST_PROXY/)
    assert.deepEqual(warningsOf(settings, 'http://127.0.0.1:3000'), [])
  })
})

describe('containers', () => {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8')

  test('the image runs as a user without rights, and without install scripts', () => {
    const dockerfile = read('Dockerfile')
    assert.match(dockerfile, /^USER node$/m)
    assert.match(dockerfile, /npm ci --omit=dev --ignore-scripts/)
  })

  for (const [file, rules] of [
    ['compose.yaml', [/read_only: true/, /cap_drop: \[ALL\]/, /no-new-privileges:true/]],
    [
      'kubernetes.yaml',
      [
        /readOnlyRootFilesystem: true/,
        /drop: \[ALL\]/,
        /allowPrivilegeEscalation: false/,
        /runAsNonRoot: true/,
        /seccompProfile/,
        /automountServiceAccountToken: false/,
      ],
    ],
  ] as const) {
    test(`${file}: nothing can be written, no capability is left, none can be gained`, () => {
      for (const rule of rules) assert.match(read(file), rule)
    })
  }
})

test('a name cannot control the operator’s terminal: control and direction characters are shown as escapes', () => {
  assert.equal(
    printable('a\u001b[31mb\rc\nd\u0085e\u202ef\u2066g'),
    'a\\u{1b}[31mb\\u{d}c\\u{a}d\\u{85}e\\u{202e}f\\u{2066}g',
  )
  assert.equal(printable('Café 東京 👩‍🍳'), 'Café 東京 👩‍🍳')
  assert.doesNotMatch(table([{ name: '\u001b]0;owned\u0007' }]), /\u001b|\u0007/)
})
