import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoads, type Road } from '../../src/storage/shared/roads.ts'

/** How many roads of 80 posts are remembered at a time. */
function kept(idLength: number): number {
  const roads = createRoads()
  const names = Array.from({ length: 1000 }, (_, i) => `road ${i}`)
  const posts: Road['posts'] = Array.from({ length: 80 }, (_, i) => [i, 'x'.repeat(idLength)])
  for (const name of names) roads.keep(name, { version: 1, posts })
  assert.ok(roads.find('road 999'), 'the newest is there')
  return names.filter(name => roads.find(name)).length
}

test('signposts are bounded in bytes: of long ids fewer are remembered', () => {
  const bytes = (roads: number, idLength: number) => roads * 80 * 2 * idLength
  assert.ok(kept(20) > 400, 'of usual ids some 40,000')
  for (const idLength of [20, 255, 4000]) assert.ok(bytes(kept(idLength), idLength) <= 4 * 1024 * 1024)
})
