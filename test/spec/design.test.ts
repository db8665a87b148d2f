import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { section } from '../helpers/section.ts'

await section('design-etag', () => import('./design-etag.ts'))
await section('design-int64', () => import('./design-int64.ts'))
await section('design-revocation', () => import('./design-revocation.ts'))
await section('design-service', () => import('./design-service.ts'))

test('every file of this folder is run by one of the chapters', () => {
  const files = readdirSync(import.meta.dirname)
  const chapters = files.filter(file => file.endsWith('.test.ts'))
  const run = chapters.flatMap(file =>
    [...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(/import\('\.\/(.+)'\)/g)].map(
      match => match[1],
    ),
  )
  assert.deepEqual(run.toSorted(), files.filter(file => !chapters.includes(file)).toSorted())
})
