import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { tillgateBin } from '../helpers/build.ts'
import { compileCache } from '../helpers/compile-cache.ts'
import { emptyDatabase, onPostgres, postgresAlone, sqliteAlone } from '../helpers/engine.ts'
import { freePort } from '../helpers/ports.ts'

/** docs/operations.md, block by block and in its order, on one deployment. */

const root = new URL('../../', import.meta.url)
const text = await readFile(new URL('docs/operations.md', root), 'utf8')
const blocks = new Map(
  [...text.matchAll(/<!-- test: ([\w-]+) -->\n```sh\n([^]*?)```/g)].map(([, name, script]) => [name, script]),
)
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'tillgate-operations-'))
const tried = new Set<string>()
let env: Record<string, string>

before(async () => {
  mkdirSync(join(folder, 'backups'))
  env = {
    TILLGATE_DATABASE: onPostgres ? await emptyDatabase() : join(folder, 'data', 'tillgate.db'),
    TILLGATE_BASE_URL: `http://127.0.0.1:${await freePort()}`,
    BACKUPS: join(folder, 'backups'),
    PASSWORD: 'a long enough password',
    NEW_PASSWORD: 'another long enough password',
  }
})

after(() => rmSync(folder, { recursive: true, force: true }))

/** That npx finds the command, the README's test shows; without it each of these takes a third of the time. */
const npx = `npx() { "${process.execPath}" "${tillgateBin}" "\${@:2}"; }\n`

/** Runs a block as it stands, but for the two settings that name a real machine. */
async function paste(name: string): Promise<string> {
  tried.add(name)
  const script = blocks.get(name)
  assert.ok(script, `the document has no block "${name}"`)
  const here = script.replace(/^export TILLGATE_DATABASE=\S+ TILLGATE_BASE_URL=\S+\n/m, '')
  // The tests' own PostgreSQL flushes nothing, and doctor says so.
  const lenient = onPostgres ? here.replace(/tillgate doctor.*$/gm, '$& || true') : here
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `${npx}${lenient}`], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
  })
  return stdout
}

async function tillgate<T>(...args: string[]): Promise<T> {
  const { stdout } = await run(process.execPath, [tillgateBin, ...args, '--json'], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
  })
  return JSON.parse(stdout) as T
}

const noProblem = (output: string) =>
  assert.deepEqual(
    output.split('\n').filter(line => line.startsWith('PROBLEM') && !/fsync or full_page_writes/.test(line)),
    [],
  )

// In order: each stands on the one before.
describe('docs/operations.md, pasted', () => {
  test('install', async () => {
    const output = await paste('install')
    assert.match(output, /client_secret/)
    noProblem(output)
    const records = '{"kind":"store","id":1001,"name":"S","timezone":"UTC"}'
    await run('bash', ['-c', `${npx}echo '${records}' | npx tillgate import -`], {
      cwd: root,
      env: { ...process.env, ...env },
    })
    const { client_id } = await tillgate<{ client_id: string }>('app', 'create', '--name', 'Ledger')
    await tillgate('app', 'authorize', client_id, '--store', '1001')
    env = { ...env, CLIENT_ID: client_id }
  })

  test('upgrade', { skip: sqliteAlone }, async () => {
    await paste('before-upgrade')
    assert.ok(existsSync(join(folder, 'backups', 'before-upgrade.db')))
    const output = await paste('after-upgrade')
    assert.match(output, /^schema \d+ is up to date\n/)
    noProblem(output)
  })

  test('back up and restore SQLite', { skip: sqliteAlone }, async () => {
    noProblem(await paste('backup-sqlite'))
    await tillgate('app', 'create', '--name', 'Made after the backup')
    noProblem(await paste('restore-sqlite'))
    const apps = await tillgate<{ name: string }[]>('app', 'list')
    assert.deepEqual(apps.map(({ name }) => name).sort(), ['Ledger', 'Tills'])
    assert.equal(statSync(env['TILLGATE_DATABASE'] ?? '').mode & 0o777, 0o600)
  })

  test('back up and restore PostgreSQL', { skip: postgresAlone }, async () => {
    noProblem(await paste('backup-postgres'))
    env = { ...env, EMPTY_DATABASE: await emptyDatabase() }
    noProblem(await paste('restore-postgres'))
    const restored = { ...env, TILLGATE_DATABASE: env['EMPTY_DATABASE'] ?? '' }
    const { stdout } = await run(process.execPath, [tillgateBin, 'app', 'list', '--json'], {
      cwd: root,
      env: { ...process.env, ...restored },
    })
    assert.equal((JSON.parse(stdout) as unknown[]).length, 2)
  })

  test('renew the feed', async () => {
    assert.match(await paste('feed-renew'), /the feed is now/)
  })

  test('rotate keys and secrets', async () => {
    assert.match(await paste('rotate-keys'), /signed with the key/)
    assert.match(await paste('rotate-secret'), /client_secret/)
  })

  test('a secret, a key, a password has leaked', async () => {
    const output = await paste('leaked-secret')
    assert.match(output, /client_secret/)
    assert.match(output, /disabled/)
    assert.match(await paste('leaked-key'), /signed with the key/)
    await paste('leaked-password')
    await paste('take-stores')
  })

  test('every block was tried, on one engine or the other', () => {
    const elsewhere = onPostgres
      ? ['before-upgrade', 'after-upgrade', 'backup-sqlite', 'restore-sqlite']
      : ['backup-postgres', 'restore-postgres']
    assert.deepEqual([...tried, ...elsewhere].sort(), [...blocks.keys()].sort())
  })
})

test('docs/operations.md: every file that it names exists', () => {
  for (const [, path] of text.matchAll(/\]\(([^)#:]+)[^)]*\)/g)) {
    assert.ok(existsSync(new URL(path ?? '', new URL('docs/', root))), path)
  }
  for (const [path] of text.matchAll(/deploy\/[\w.-]+/g)) assert.ok(existsSync(new URL(path, root)), path)
})
