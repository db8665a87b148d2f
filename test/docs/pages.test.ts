import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { shots } from '../../scripts/screenshots/pages.ts'

const docs = new URL('../../docs/', import.meta.url)
const page = readFileSync(new URL('pages.md', docs), 'utf8')

const made = shots.flatMap(({ name, phone, dark }) => [
  `${name}.png`,
  ...(phone ? [`${name}-phone.png`] : []),
  ...(dark ? [`${name}-dark.png`] : []),
])

test('docs/images has the pictures that `npm run screenshots` makes, and no other', () => {
  assert.deepEqual(readdirSync(new URL('images/', docs)).sort(), made.sort())
})

test('docs/pages.md shows a picture of every page, and none that is not made', () => {
  const shown = [...page.matchAll(/\(images\/([^)]+)\)/g)].map(([, file]) => file ?? '')
  assert.deepEqual(
    shown.filter(file => !made.includes(file)),
    [],
  )
  assert.deepEqual(
    shots.filter(({ name }) => !shown.includes(`${name}.png`)).map(({ name }) => name),
    [],
  )
})
