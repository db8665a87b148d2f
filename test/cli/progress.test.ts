import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from '../../src/cli/shared/progress.ts'

function recorder(isTTY: boolean, options: { total?: number } = {}) {
  const written: string[] = []
  let time = 0
  const progress = createProgress('import', {
    ...options,
    unit: 'records',
    output: { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream,
    now: () => time,
  })
  const advance = (milliseconds: number, count: number, share?: number) => {
    time += milliseconds
    progress.advance(count, share)
  }
  return { written, advance, progress }
}

test('progress: on a terminal one line is drawn over, with the part done, the rate and the time left', () => {
  const { written, advance, progress } = recorder(true, { total: 4000 })
  advance(50, 10, 100)
  assert.deepEqual(written, [])
  advance(950, 1990, 900)
  assert.deepEqual(written, [
    '\rimport [######------------------]  25%  2,000 records, 2,000/s, 3 s left\x1b[K',
  ])
  advance(3000, 6000, 3000)
  progress.done()
  assert.deepEqual(written.at(-2), '\rimport [########################] 100%  8,000 records, 2,000/s\x1b[K')
  assert.equal(written.at(-1), '\n')
})

test('progress: elsewhere a plain line every five seconds, and none for a short command', () => {
  const { written, advance, progress } = recorder(false, { total: 1_000_000 })
  advance(4000, 100)
  assert.deepEqual(written, [])
  advance(1000, 900)
  advance(1000, 0)
  progress.done()
  assert.deepEqual(written, ['import: 0%, 1,000 records, 200/s, 1 h 23 min left\n'])
})

test('progress: without a total there is no bar and no time left', () => {
  const { written, advance } = recorder(true)
  advance(1000, 500)
  assert.deepEqual(written, ['\rimport: 500 records, 500/s\x1b[K'])
})
