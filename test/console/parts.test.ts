import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noBrand } from '../../src/domain/brand/brand.ts'
import { layout } from '../../src/console/layout.ts'
import { navigation } from '../../src/console/parts/navigation.ts'
import { pagination } from '../../src/console/parts/pagination.ts'
import { formatTime, storeTime, viewerTime, zoneName } from '../../src/console/parts/format/time.ts'
import { table } from '../../src/console/parts/table.ts'
import { textOf } from '../helpers/html.ts'

const noon = 1_793_534_400

describe('times', () => {
  for (const [zone, time, name] of [
    ['UTC', '1 Nov 2026, 12:00', 'UTC'],
    ['Australia/Sydney', '1 Nov 2026, 23:00', 'Sydney time'],
    ['America/New_York', '1 Nov 2026, 07:00', 'New York time'],
    ['America/Argentina/Buenos_Aires', '1 Nov 2026, 09:00', 'Buenos Aires time'],
    ['Asia/Kathmandu', '1 Nov 2026, 17:45', 'Kathmandu time'],
    ['Etc/GMT+5', '1 Nov 2026, 07:00', 'GMT-5'],
  ] as const) {
    test(`in ${zone}: ${time} ${name}`, () => {
      assert.equal(formatTime(noon, zone), time)
      assert.equal(zoneName(zone), name)
      assert.equal(textOf(storeTime(noon, zone)), `${time} ${name}`)
      assert.match(storeTime(noon, zone), /<time datetime="2026-11-01T12:00:00Z"/)
    })
  }

  test('midnight is 00, and the day is the zone’s', () => {
    assert.equal(formatTime(noon - 43_200, 'UTC'), '1 Nov 2026, 00:00')
    assert.equal(formatTime(noon - 43_201, 'UTC', 'second'), '31 Oct 2026, 23:59:59')
    assert.equal(formatTime(noon + 43_199, 'Asia/Tokyo', 'day'), '2 Nov 2026')
  })

  test('the viewer’s own: UTC, marked for the script; the zone is left out where the column names it', () => {
    assert.match(viewerTime(noon), /data-local="minute" data-named>1 Nov 2026, 12:00 UTC</)
    assert.match(
      viewerTime(noon, { precision: 'second', named: false }),
      /data-local="second" >1 Nov 2026, 12:00:00</,
    )
  })
})

describe('the frame', () => {
  const viewer = { account: { email: 'a@example.com', role: 'operator' }, csrf: 'c' } as const

  test('the section of the page is marked, and on the pages below it; one alone', () => {
    const marked = (path: string) =>
      [...navigation('operator', path).matchAll(/href="([^"]+)" aria-current="(\w+)"/g)].map(([, ...m]) => m)
    assert.deepEqual(marked('/operator'), [['/operator', 'page']])
    assert.deepEqual(marked('/operator/apps'), [['/operator/apps', 'page']])
    assert.deepEqual(marked('/operator/apps/x/log'), [['/operator/apps', 'true']])
    assert.deepEqual(marked('/operator/appstore'), [['/operator', 'true']])
    assert.deepEqual(marked('/elsewhere'), [])
  })

  test('signed in: sections, who it is, sign-out with the token; otherwise none of it', () => {
    const page = layout({ title: 'x', viewer, body: '<h1>x</h1>' })(noBrand)
    assert.match(page, /Audit log/)
    assert.match(page, /a@example\.com/)
    assert.match(
      page,
      /<form method="post" action="\/logout" id="sign-out">\s*<input type="hidden" name="_csrf" value="c">/,
    )
    assert.match(layout({ title: 'x', viewer, width: 'narrow', body: '' })(noBrand), /Sign out/)
    assert.doesNotMatch(layout({ title: 'x', body: '<h1>x</h1>' })(noBrand), /Sign out|<nav|<form/)
  })

  test('script only where it has something to do', () => {
    assert.match(
      layout({ title: 'x', body: viewerTime(noon) })(noBrand),
      /<script src="\/assets\/console\.js/,
    )
    assert.doesNotMatch(layout({ title: 'x', body: storeTime(noon, 'UTC') })(noBrand), /<script/)
  })
})

describe('lists', () => {
  test('a table escapes text, leaves HTML, and names each row by its first cell', () => {
    const html = table({
      caption: '<i>',
      rows: ['<b>'],
      columns: [
        { title: '<u>', text: row => row },
        { title: 'n', align: 'end', html: () => '<em>1</em>' },
      ],
    })
    assert.doesNotMatch(html, /<[ibu]>/)
    assert.match(html, /<th role="rowheader" scope="row" data-label="&#60;u&#62;" >&#60;b&#62;<\/th>/)
    assert.match(html, /<td role="cell" data-label="n" class="end"><em>1<\/em><\/td>/)
  })

  test('pages: nothing where all is on one; addresses are escaped', () => {
    assert.equal(pagination({ label: 'Log', newer: null, older: null }), '')
    const html = pagination({ label: 'Log', older: '/x?a=1&b="' })
    assert.match(html, /rel="next" href="\/x\?a&#61;1&#38;b&#61;&#34;">Older/)
    assert.doesNotMatch(html, /Newer/)
  })
})
