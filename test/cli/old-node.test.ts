import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { onPostgres } from '../helpers/engine.ts'
import { findOldNode } from '../helpers/old-node.ts'

/** bin/tillgate.js on a Node that cannot run Tillgate by itself. */

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const oldNode = findOldNode()
const skip = onPostgres ? 'needs no database' : oldNode === null && 'this machine has no Node 20 or 22'

/** Nothing but the folders that a machine without npm's own PATH has. */
const run = (bin: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(String(oldNode), [bin, ...args], {
    env: { PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('on an older Node', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-old-node-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** A copy of bin/ beside the given files, far from any node_modules. */
  function copy(name: string, files: Record<string, string>): string {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, file, '..'), { recursive: true })
      writeFileSync(join(folder, name, file), content)
    }
    cpSync(join(root, 'bin'), join(folder, name, 'bin'), { recursive: true })
    return join(folder, name, 'bin/tillgate.js')
  }
  const manifest = { 'package.json': '{"type":"module"}' }

  test('a clone runs on the Node that npm ci installed', () => {
    assert.deepEqual(run(join(root, 'bin/tillgate.js'), '--version'), {
      status: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  test('a clone passes the exit code on', () => {
    assert.equal(run(join(root, 'bin/tillgate.js'), 'serv').status, 2)
  })

  test('a clone without its dependencies says in one line to run npm ci', () => {
    const { status, stderr } = run(copy('clone', { ...manifest, 'src/cli.ts': '' }))
    assert.match(stderr, /^tillgate needs Node 24 or newer; this is v2\d[^\n]*\. Run "npm ci" to get it\.\n$/)
    assert.equal(status, 1)
  })

  test('an installed package says in one line to install Node 24', () => {
    const { status, stderr } = run(copy('package', manifest))
    assert.match(stderr, /^tillgate needs Node 24 or newer; this is v2\d[^\n]*\. Install it from [^\n]+\n$/)
    assert.equal(status, 1)
  })

  test('a dependency "node" that is too old is not started', () => {
    const bin = copy('too-old', {
      ...manifest,
      'node_modules/node/package.json': '{"version":"22.1.0"}',
      'node_modules/node/bin/node': '',
    })
    assert.match(run(bin).stderr, /^tillgate needs Node 24 or newer/)
  })
})
