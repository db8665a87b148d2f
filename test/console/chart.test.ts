import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Chart, chart } from '../../src/console/parts/chart/chart.ts'
import { formatCompact, formatNumber } from '../../src/console/parts/format/numbers.ts'
import { labelledPoints, niceTicks } from '../../src/console/parts/chart/scale.ts'
import { largestSeries } from '../../src/console/parts/chart/series.ts'
import { assertNoInlineCode } from '../helpers/html.ts'

/** Charts: drawn by pure functions, so every number on the page can be looked at. */

describe('the axis', () => {
  const rows: [number, number[]][] = [
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [99, [0, 20, 40, 60, 80, 100]],
    [100, [0, 20, 40, 60, 80, 100]],
    [101, [0, 50, 100, 150]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
    [Number.NaN, [0, 1]],
    [Number.POSITIVE_INFINITY, [0, 1]],
  ]
  for (const [max, ticks] of rows) {
    test(`up to ${max}: ${ticks.join(', ')}`, () => assert.deepEqual(niceTicks(max), ticks))
  }

  test('fractions where the values are not counts, without the errors of binary sums', () => {
    assert.deepEqual(niceTicks(0.55, { fractions: true }), [0, 0.2, 0.4, 0.6])
    assert.deepEqual(niceTicks(0.3, { fractions: true, most: 3 }), [0, 0.1, 0.2, 0.3])
  })

  test('from 0, evenly, few, up to at least the highest value and not far beyond', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), fc.boolean(), (max, fractions) => {
        const ticks = niceTicks(max, { fractions })
        const [step = 0] = ticks.slice(1)
        const top = ticks.at(-1) ?? 0
        assert.equal(ticks[0], 0)
        assert.ok(ticks.length >= 2 && ticks.length <= 6, String(ticks))
        assert.ok(top >= max * (1 - 1e-9) && top - step < max, `${ticks} for ${max}`)
        for (const [index, tick] of ticks.entries()) assert.ok(Math.abs(tick - index * step) <= step * 1e-9)
      }),
    )
  })

  test('labels: evenly spaced back from the last', () => {
    assert.deepEqual(labelledPoints(0, 5), [])
    assert.deepEqual(labelledPoints(1, 5), [0])
    assert.deepEqual(labelledPoints(5, 5), [0, 1, 2, 3, 4])
    assert.deepEqual(labelledPoints(7, 5), [0, 2, 4, 6])
    assert.deepEqual(labelledPoints(30, 5), [5, 11, 17, 23, 29])
    assert.deepEqual(labelledPoints(400, 5), [79, 159, 239, 319, 399])
  })

  test('numbers: short on the axis, whole in the table', () => {
    assert.deepEqual([0, 999, 9999, 12_345, 1_500_000].map(formatCompact), [
      '0',
      '999',
      '9,999',
      '12.3K',
      '1.5M',
    ])
    assert.equal(formatNumber(1_234_567.891), '1,234,567.89')
    assert.equal(formatNumber(9_007_199_254_740_993n), '9,007,199,254,740,993')
  })
})

const base: Chart = {
  id: 'c',
  title: 'Reads',
  kind: 'stacked',
  points: ['1 Nov', '2 Nov'],
  pointName: 'Day',
  series: [
    { name: 'Orders', values: [10, 20] },
    { name: 'Items', values: [30, 0] },
  ],
  empty: 'Nothing was read.',
}

interface Bar {
  name: string
  x: number
  width: number
  top: number
  bottom: number
}

/** What is drawn, back in numbers. */
const bars = (text: string): Bar[] =>
  [...text.matchAll(/class="bar (\S+)" x="([\d.]+)%" width="([\d.]+)%" y="([\d.]+)" height="([\d.]+)"/g)].map(
    ([, name = '', x, width, y, height]) => ({
      name,
      x: Number(x),
      width: Number(width),
      top: Number(y),
      bottom: Number(y) + Number(height),
    }),
  )

const cells = (text: string): string[] =>
  [...text.matchAll(/<t[hd] role="(?:rowheader|cell)"[^>]*>([^<]*)</g)].map(([, value]) => value ?? '')

describe('bars', () => {
  test('stacked: each on top of the one before, as high as its share of the axis', () => {
    const [orders1, items1, orders2, ...rest] = bars(chart(base))
    assert.deepEqual(rest, [], 'a value of 0 has no bar')
    // The axis goes to 40 over 180 px, from 188 up.
    assert.deepEqual([orders1?.top, orders1?.bottom], [143, 188])
    assert.deepEqual([items1?.top, items1?.bottom], [8, 143])
    assert.deepEqual([orders2?.top, orders2?.bottom], [98, 188])
    assert.equal(orders1?.x, items1?.x)
    assert.deepEqual([orders1?.name, items1?.name], ['series-1', 'series-2'])
  })

  test('grouped: side by side from the base', () => {
    const [orders, items] = bars(chart({ ...base, kind: 'grouped' }))
    assert.deepEqual([orders?.bottom, items?.bottom], [188, 188])
    assert.equal((orders?.x ?? 0) + (orders?.width ?? 0), items?.x)
  })

  test('the smallest value is still seen, and errors have their own colour and stripes', () => {
    const text = chart({
      ...base,
      series: [
        { name: 'Answered', values: [1_000_000, 0] },
        { name: 'Errors', values: [0, 1], tone: 'bad' },
      ],
    })
    const [, error] = bars(text)
    assert.equal(error?.name, 'series-bad')
    assert.equal((error?.bottom ?? 0) - (error?.top ?? 0), 1)
    assert.match(text, /<pattern id="c-series-bad"/)
    assert.match(text, /fill="url\(#c-series-bad\)"/)
  })

  test('400 points of large numbers stay within the drawing and do not touch', () => {
    const points = Array.from({ length: 400 }, (_, i) => `day ${i}`)
    const values = points.map((_, i) => i * 1e9)
    const drawn = bars(chart({ ...base, points, series: [{ name: 'Orders', values }] }))
    assert.equal(drawn.length, 399)
    for (const [index, { x, width, top, bottom }] of drawn.entries()) {
      assert.ok(x >= 0 && x + width <= 100 && top >= 8 && bottom <= 188.001)
      assert.ok(x > (drawn[index - 1]?.x ?? -1) + width)
    }
  })

  test('one day is one bar and one label', () => {
    const text = chart({ ...base, points: ['1 Nov'], series: [{ name: 'Orders', values: [4] }] })
    assert.equal(bars(text).length, 1)
    assert.equal(text.match(/<text[^>]*>1 Nov</g)?.length, 1)
  })
})

describe('lines', () => {
  const lines = (values: (number | null)[]) => {
    const series = [{ name: 'p50', values }]
    const text = chart({ ...base, kind: 'lines', points: values.map(String), series })
    const [, drawing = ''] = /preserveAspectRatio="none">(.*?)<\/svg>/s.exec(text) ?? []
    return [...drawing.matchAll(/class="line( dot)? series-1" d="([^"]*)"/g)].map(
      ([, dot = '', d]) => d + dot,
    )
  }

  test('a line through every point', () => assert.deepEqual(lines([0, 10]), ['M250 188L750 8']))
  test('a gap where nothing is known, and a dot for a point alone', () =>
    assert.deepEqual(lines([10, null, 5, 5]), ['M625 98L875 98', 'M125 8h0 dot']))
})

describe('for those who do not see it', () => {
  test('a title, a sentence, and the same figures as a table', () => {
    const text = chart(base)
    assert.match(text, /role="img" aria-labelledby="c-title" aria-describedby="c-desc"/)
    assert.match(
      text,
      /2 points from 1 Nov to 2 Nov\. Orders: 30 in total, highest 20 \(2 Nov\)\. Items: 30 in total, highest 30 \(1 Nov\)\./,
    )
    assert.deepEqual(cells(text), ['1 Nov', '10', '30', '2 Nov', '20', '0'])
  })

  test('without anything it says so in words, without an axis or a table', () => {
    for (const empty of [
      { points: [], series: [] },
      { series: [{ name: 'Orders', values: [0, 0] }] },
      { kind: 'lines' as const, series: [{ name: 'p50', values: [null, null] }] },
    ]) {
      const text = chart({ ...base, ...empty })
      assert.match(text, /Nothing was read\./)
      assert.doesNotMatch(text, /<svg|<table/)
    }
  })

  test('a value that is not known is a dash in the table, not 0', () => {
    const text = chart({
      ...base,
      kind: 'lines',
      unit: 'ms',
      series: [{ name: 'p50', values: [null, 12.5] }],
    })
    assert.deepEqual(cells(text), ['1 Nov', '–', '2 Nov', '12.5 ms'])
  })
})

test('names are text in legend, table and titles; nothing is styled or run in place', () => {
  const name = '<script>alert(1)</script>"'
  const text = chart({
    ...base,
    title: name,
    points: [name, name],
    series: [{ name, values: [1, 2] }],
  })
  assertNoInlineCode(text)
  assert.ok(text.split('&#60;script&#62;').length > 6)
})

test('many series: the five largest, and the rest as one', () => {
  const all = Array.from({ length: 9 }, (_, i) => ({ name: `s${i}`, values: [i, i * 10] }))
  const few = largestSeries(all, 'Other stores')
  assert.deepEqual(
    few.map(({ name, values }) => [name, ...values]),
    [
      ['s8', 8, 80],
      ['s7', 7, 70],
      ['s6', 6, 60],
      ['s5', 5, 50],
      ['s4', 4, 40],
      ['Other stores', 6, 60],
    ],
  )
  assert.deepEqual(largestSeries(all.slice(0, 6), 'x'), all.slice(0, 6))
})
