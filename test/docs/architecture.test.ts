import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('docs/architecture.md names only files and folders that exist', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const paths = ['src', 'bin', 'test/storage'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => `/${folder}/${path}`),
  )
  const named = [...text.matchAll(/`([\w./-]+(?:\.ts|\.js|\/))`/g)].map(([, path = '']) =>
    path.replace(/\/$/, ''),
  )
  assert.ok(named.length > 40)
  assert.deepEqual(
    named.filter(name => !paths.some(path => path.endsWith(`/${name}`))),
    [],
  )
})
