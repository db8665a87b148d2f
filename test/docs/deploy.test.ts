import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { guideAddress, guides } from '../../src/http/ops/guides.ts'
import { exampleAddress, examples } from '../../src/console/guides/guide-files.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { freePort } from '../helpers/ports.ts'

/** deploy/: Docker and Kubernetes cannot be run here; what the files say of Tillgate can be held against it. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = read('deploy/Dockerfile').replaceAll('\\\n', ' ')

/** The JSON list behind an instruction of the last stage. */
const commandOf = (instruction: RegExp): string[] =>
  JSON.parse(instruction.exec(dockerfile)?.[1] ?? 'null') as string[]

const image = mkdtempSync(join(tmpdir(), 'tillgate-image-'))
after(() => rmSync(image, { recursive: true, force: true }))

test('Dockerfile: what it copies is all that a server needs; its own commands start it, probe it and end it', {
  timeout: 300_000,
}, async t => {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('FROM '))
  const copied = [...stage.matchAll(/^COPY (?!--from)(\S+) \.\/(\S*)$/gm)]
  assert.ok(copied.length > 0)
  for (const [, from = '', to = ''] of copied) {
    cpSync(join(root, from), join(image, to || from), { recursive: true })
    assert.match(read('.dockerignore'), new RegExp(`^!${from}$`, 'm'), `${from} is kept from Docker`)
  }
  symlinkSync(join(root, 'node_modules'), join(image, 'node_modules'))

  const port = String(await freePort())
  const env = {
    PATH: process.env['PATH'],
    PORT: port,
    TILLGATE_DATABASE: await emptyDatabase({ shared: true }),
  }
  const [, ...args] = commandOf(/^CMD (\[.*\])$/m)
  const server = spawn(process.execPath, args, { cwd: image, env })
  t.after(() => server.kill('SIGKILL'))
  await once(server.stdout, 'data')
  const [, ...probe] = commandOf(/^HEALTHCHECK .* CMD (\[.*\])$/m)
  const healthy = () =>
    new Promise<boolean>(resolve =>
      execFile(process.execPath, probe, { env }, error => resolve(error === null)),
    )
  assert.equal(await healthy(), true)
  for (const path of [...guides.map(guideAddress), ...examples.map(exampleAddress)])
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
  assert.equal(await healthy(), false)
})

test('Dockerfile: leaving out development packages leaves out nothing that the server imports', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const imported = globSync(join(root, 'src/**/*.ts')).flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/^(?!import type).*\b(?:from|import) '([^.' ][^' ]*)'/gm)].map(
      ([, name = '']) => name,
    ),
  )
  const packages = new Set(
    imported
      .filter(name => !name.startsWith('node:') && !builtinModules.includes(name))
      .map(name => name.split('/', name.startsWith('@') ? 2 : 1).join('/')),
  )
  assert.ok(packages.has('fastify'))
  for (const name of packages) assert.ok(name in dependencies, `${name} is no dependency`)
})

test('deploy/kubernetes.yaml: a migration has minutes to finish, and the memory limit fits a process of 512 MB', () => {
  const text = read('deploy/kubernetes.yaml')
  // The server listens only after its migrations.
  const probe =
    /startupProbe: \{ httpGet: \{ path: \/health\/live, port: 3000 \}, periodSeconds: (\d+), failureThreshold: (\d+) \}/
  const [, period, failures] = probe.exec(text) ?? []
  assert.ok(Number(period) * Number(failures) >= 300)
  const [requested = 0, limit = 0] = [...text.matchAll(/memory: (\d+)Mi/g)].map(([, mebibytes]) =>
    Number(mebibytes),
  )
  assert.ok(requested * 2 ** 20 >= 512e6)
  assert.ok(limit * 2 ** 20 >= 1.25 * 512e6)
})

for (const file of ['deploy/compose.yaml', 'deploy/kubernetes.yaml']) {
  test(`${file}: each setting exists, and is set once`, () => {
    const known = new Set(
      [...read('src/config.ts').matchAll(/'(TILLGATE_[A-Z_]+)'/g)].map(([, name]) => name),
    )
    const set = [...read(file).matchAll(/(?:name: |^ +)(TILLGATE_[A-Z_]+)(?:,|:|$)/gm)].map(
      ([, name]) => name,
    )
    assert.ok(set.includes('TILLGATE_DATABASE') && set.includes('TILLGATE_BASE_URL'))
    for (const name of set) assert.ok(known.has(name), name)
    assert.equal(new Set(set).size, set.length, set.join(' '))
  })
}
