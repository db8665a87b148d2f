import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createQueue } from '../../src/http/admission/queue.ts'

test('a queue is an array to which values are added and from which any may be taken', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(), { freq: 1 })), steps => {
      const queue = createQueue<number>()
      const takeOut: (() => void)[] = []
      const model: number[] = []
      steps.forEach((taken, step) => {
        if (taken !== null && takeOut.length > 0) {
          const index = taken % takeOut.length
          takeOut[index]?.()
          if (model.includes(index)) model.splice(model.indexOf(index), 1)
        } else {
          model.push(takeOut.length)
          takeOut.push(queue.add(takeOut.length))
        }
        assert.deepEqual(
          [queue.size, queue.oldest, queue.newest],
          [model.length, model.at(0), model.at(-1)],
          `after step ${step}`,
        )
      })
    }),
  )
})
