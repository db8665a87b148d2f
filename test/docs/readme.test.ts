import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Cli, createCli } from '../helpers/cli.ts'
import { freePort } from '../helpers/ports.ts'

const root = new URL('../../', import.meta.url)
const readme = await readFile(new URL('README.md', root), 'utf8')

/** The shell block behind `<!-- test: NAME -->`, as it stands in the README. */
function block(name: string): string {
  const found = new RegExp(`<!-- test: ${name} -->\\n\`\`\`sh\\n([^]*?)\`\`\``).exec(readme)?.[1]
  assert.ok(found, `the README has no block "${name}"`)
  return found
}

async function paste(script: string, env: Record<string, string>): Promise<string> {
  const run = promisify(execFile)
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

let cli: Cli

before(async () => {
  cli = await createCli()
})

after(() => cli.remove())

test('README: the demo’s token and orders, pasted', async () => {
  const port = await freePort()
  const { app } = await cli.json<{ app: { client_id: string; client_secret: string } }>([
    'demo',
    '--no-serve',
    '--orders',
    '600',
    '--days',
    '10',
  ])
  const server = cli.start(['serve'], { PORT: String(port) })
  try {
    await once(server.stdout, 'data')
    const script = block('demo').replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    const output = await paste(script, {
      TILLGATE_CLIENT_ID: app.client_id,
      TILLGATE_CLIENT_SECRET: app.client_secret,
    })
    const answers = output.match(/\{"status":\{"timestamp":\d+,"ack":200,"errors":null\},"data":\[\{"id":/g)
    assert.equal(answers?.length, 2, output.slice(0, 2000))
  } finally {
    server.kill()
    await once(server, 'exit')
  }
})

test('README: starting with your own data, pasted', async () => {
  const own = await createCli()
  try {
    const output = await paste(block('own'), { TILLGATE_DATABASE: own.database })
    assert.match(output, /client_secret/)
  } finally {
    own.remove()
  }
})

test('README: under 150 lines, and every file it links to exists', () => {
  assert.ok(readme.split('\n').length < 150)
  for (const [, path] of readme.matchAll(/\]\(([^)#:]+)\)/g)) {
    assert.ok(existsSync(new URL(path ?? '', root)), `${path} is linked and does not exist`)
  }
})

test('README: the configuration table names every variable that is read, and no other', async () => {
  const config = await readFile(new URL('src/config.ts', root), 'utf8')
  const read = new Set([...config.matchAll(/'((?:TILLGATE_[A-Z_]+|HOST|PORT))'/g)].map(([, name]) => name))
  const section = /## Configuration\n([^]*?)\n## /.exec(readme)?.[1] ?? ''
  const table = section.split('\n').filter(line => line.startsWith('| `'))
  const told = new Set(
    table.flatMap(line => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)),
  )
  assert.deepEqual([...told].sort(), [...read].sort())
})
