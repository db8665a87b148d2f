import assert from 'node:assert/strict'
import { chownSync, copyFileSync, chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openDatabase } from '../../src/storage/postgres/connection/database.ts'
import { readSettings } from '../../src/storage/postgres/connection/settings.ts'
import { createServer, type PostgresServer, unprivileged } from '../helpers/postgres-server.ts'

/** A server with a certificate for localhost that nobody has signed; the key is known to all, and for tests alone. */
const { folder, user } = unprivileged('tillgate-tls-')
let server: PostgresServer

before(async () => {
  for (const name of ['localhost.crt', 'localhost.key']) {
    const file = join(folder, name)
    copyFileSync(join(import.meta.dirname, '../fixtures', name), file)
    chmodSync(file, 0o600)
    if (user.uid !== undefined && user.gid !== undefined) chownSync(file, user.uid, user.gid)
  }
  server = await createServer({
    flags: [
      '-c',
      'ssl=on',
      '-c',
      `ssl_cert_file=${join(folder, 'localhost.crt')}`,
      '-c',
      `ssl_key_file=${join(folder, 'localhost.key')}`,
    ],
  })
  await server.start()
})

after(async () => {
  await server.remove()
  rmSync(folder, { recursive: true })
})

const open = (sslmode: string) => openDatabase(readSettings(`${server.url}?sslmode=${sslmode}`))

for (const [sslmode, encrypted] of [
  ['require', true],
  ['prefer', true],
  ['disable', false],
] as const) {
  test(`sslmode=${sslmode}: ${encrypted ? 'encrypted' : 'in the clear'}, and large rows come whole`, async t => {
    const database = await open(sslmode)
    t.after(() => database.close())
    assert.deepEqual(
      [...(await database.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()'))],
      [{ ssl: encrypted }],
    )
    const [text, number] = await database.rawRow("select repeat('till', 100000), 7", [])
    assert.equal(String(text), 'till'.repeat(100_000))
    assert.equal(String(number), '7')
  })
}

test('sslmode=verify-full: an unsigned certificate is rejected', async () => {
  await assert.rejects(open('verify-full'), /self-signed certificate/)
})
