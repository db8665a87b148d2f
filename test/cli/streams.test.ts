import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { compileCache } from '../helpers/compile-cache.ts'
import { createCli } from '../helpers/cli.ts'

/** A standard output that is full or closed, by the redirections of a real shell. */

const cli = await createCli()
after(cli.remove)

const stores = 20_000
before(async () => {
  const records = Array.from({ length: stores }, (_, id) => ({
    kind: 'store',
    id: id + 1,
    name: `Shop ${id}`,
    timezone: 'UTC',
  }))
  await cli.run(['import', '-'], { stdin: records.map(record => `${JSON.stringify(record)}\n`).join('') })
})

const bin = join(import.meta.dirname, '../../bin/tillgate.js')

/** Runs a script of bash in which `tillgate` is the command; `exit` is the last status. */
async function bash(script: string): Promise<{ exit: number; stdout: string; stderr: string }> {
  const define = `set -o pipefail; tillgate() { "${process.execPath}" "${bin}" "$@"; }; ${script}`
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, TILLGATE_DATABASE: cli.database }
  return promisify(execFile)('bash', ['--norc', '-c', define], { env }).then(
    ({ stdout, stderr }) => ({ exit: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ exit: code, stdout, stderr }),
  )
}

test('a reader that closes the pipe early ends a long list quietly', async () => {
  const { exit, stdout, stderr } = await bash('tillgate store list | head -1')
  assert.deepEqual([exit, stderr], [0, ''])
  assert.match(stdout, /^id +name +timezone +merchant\n$/)
})

test('a closed standard output is no failure', async () => {
  assert.deepEqual(await bash('tillgate store list --json >&-'), { exit: 0, stdout: '', stderr: '' })
})

for (const command of ['store list', 'app list --json', '--help', 'completion bash']) {
  test(`a full standard output is a failure in one line: ${command}`, async () => {
    const { exit, stderr } = await bash(`tillgate ${command} >/dev/full`)
    assert.equal(exit, 1)
    assert.match(stderr, /^[^\n]*ENOSPC[^\n]*\n$/)
    assert.doesNotMatch(stderr, /at .*[jt]s:\d/)
    if (command.includes('--json')) assert.equal(JSON.parse(stderr).error.code, 'failed')
  })
}

test('a full or closed standard error changes no exit code', async () => {
  assert.deepEqual(await bash('tillgate serv 2>/dev/full'), { exit: 2, stdout: '', stderr: '' })
  assert.deepEqual(await bash('tillgate app show x 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}'), {
    exit: 0,
    stdout: '1\n',
    stderr: '',
  })
})
