import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageOf } from '../../src/domain/reading/page.ts'
import type { AccessFacts, NextChunk } from '../../src/storage/port/index.ts'

const facts = {} as AccessFacts

test('the size of the entries decides how many make a piece, also after the first piece is released', async () => {
  const entry = 2000
  const bytes = new Uint8Array(128 * entry)
  const asked: number[] = []
  const page = pageOf({ parts: [bytes], rows: 128, next: ['a'] }, 2000, null, {
    async more(_after, rows): Promise<NextChunk> {
      asked.push(rows)
      return { parts: [new Uint8Array(rows * entry)], rows, next: ['b'], facts }
    },
    check: () => {},
  })
  // Sending a piece releases its memory.
  structuredClone(bytes, { transfer: [bytes.buffer] })
  assert.equal(bytes.length, 0)
  for await (const _ of page.rest ?? []);
  assert.equal(page.rows, 2000)
  assert.ok(Math.max(...asked) <= 512, `${asked}`)
})
