import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'

/** What is installed is what was looked at. */

const root = join(import.meta.dirname, '../..')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const manifest = read('package.json')

interface Locked {
  version?: string
  integrity?: string
  resolved?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
  link?: boolean
}
const packages: [name: string, locked: Locked][] = Object.entries<Locked>(read('package-lock.json').packages)
  // Not this repository's own packages, and the links to them.
  .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
  .map(([path, locked]) => [path.slice(path.lastIndexOf('node_modules/') + 13), locked])
const production = packages.filter(([, { dev, devOptional }]) => !dev && !devOptional)

describe('the lockfile', () => {
  test('pins every dependency of the manifest', () => {
    const { dependencies, devDependencies } = read('package-lock.json').packages['']
    assert.deepEqual(
      { dependencies, devDependencies },
      {
        dependencies: manifest.dependencies,
        devDependencies: manifest.devDependencies,
      },
    )
  })

  test('has a hash of everything that runs in production', () => {
    const without = production.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    assert.deepEqual(without, [])
    assert.ok(production.length > 50)
  })

  test('takes nothing from anywhere but the registry', () => {
    // npm writes an address only where a package does not come from the registry that is set up.
    assert.deepEqual(
      packages.filter(([, { resolved }]) => resolved !== undefined),
      [],
    )
  })
})

describe('install scripts', () => {
  const scripted = [
    ...new Set(packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name)),
  ]

  test('nothing that runs in production has one', () => {
    assert.deepEqual(
      production.filter(([, { hasInstallScript }]) => hasInstallScript),
      [],
    )
  })

  test('each is listed in docs/security.md, with the word that package.json has on it', () => {
    const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([^`]+)` \| (approved|not run) \|/gm)]
    const listed = rows.map(([, name, word]) => [name, word])
    assert.deepEqual(
      listed.sort(),
      scripted.map(name => [name, manifest.allowScripts[name] === true ? 'approved' : 'not run']).sort(),
    )
    for (const name of Object.keys(manifest.allowScripts)) {
      assert.ok(scripted.includes(name), `${name} is approved and has no install script`)
    }
  })
})

test('npm run sbom lists every package of production with its version and hash', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'sbom'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  const { bomFormat, components } = JSON.parse(stdout)
  assert.equal(bomFormat, 'CycloneDX')
  const listed = new Map<string, { hashes?: { alg: string }[] }>(
    components.map((one: { name: string; version: string }) => [`${one.name}@${one.version}`, one]),
  )
  for (const [name, { version }] of production.filter(([, { optional }]) => !optional)) {
    assert.equal(listed.get(`${name}@${version}`)?.hashes?.[0]?.alg, 'SHA-512', `${name}@${version}`)
  }
})
