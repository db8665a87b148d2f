import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFileSync } from 'node:fs'
import { schemeOf } from '../../src/domain/brand/colours.ts'
import { contrast } from '../../src/lib/contrast.ts'

/** The backgrounds of console.css, by scheme. */
function backgrounds(): Record<'light' | 'dark', string[]> {
  const css = readFileSync(new URL('../../src/console/assets/console.css', import.meta.url), 'utf8')
  const found = [...css.matchAll(/--(?:page|surface|sunken|\w+-soft): (#[\da-f]{3,6});/g)].map(
    ([, colour = '']) => (colour.length === 4 ? colour.replace(/[\da-f]/g, '$&$&') : colour),
  )
  assert.equal(found.length, 14)
  return { light: found.slice(0, 7), dark: found.slice(7) }
}

const accents = [
  '#000000',
  '#ffffff',
  '#808080',
  '#3451c6',
  '#ffd400',
  '#00ff00',
  '#ff0000',
  '#0000ff',
  '#767676',
  '#12343b',
]
for (let n = 0; n < 300; n++) accents.push(`#${((n * 2_654_435) % 0xffffff).toString(16).padStart(6, '0')}`)

test('WCAG AA: every accent colour gives readable links and buttons in both schemes', () => {
  for (const [name, behind] of Object.entries(backgrounds()) as ['light' | 'dark', string[]][]) {
    for (const accent of accents) {
      const { accent: link, accentHover, button, buttonHover, border, onButton } = schemeOf(accent, name)
      const what = `${name} ${accent}`
      for (const background of behind) {
        assert.ok(contrast(link, background) >= 4.5, `${what}: link ${link} on ${background}`)
        assert.ok(contrast(accentHover, background) >= 4.5, `${what}: hover ${accentHover} on ${background}`)
      }
      const [page = '', surface = ''] = behind
      for (const background of [page, surface]) {
        assert.ok(contrast(border, background) >= 3, `${what}: border ${border} on ${background}`)
      }
      assert.ok(contrast(onButton, button) >= 4.5, `${what}: ${onButton} on ${button}`)
      assert.ok(contrast(onButton, buttonHover) >= 4.5, `${what}: ${onButton} on ${buttonHover}`)
    }
  }
})

test('a colour with enough contrast stays as it is', () => {
  assert.equal(schemeOf('#3451c6', 'light').accent, '#3451c6')
  assert.equal(schemeOf('#3451c6', 'light').border, '#3451c6')
  assert.equal(schemeOf('#ffd400', 'light').button, '#ffd400')
  assert.equal(schemeOf('#ffd400', 'dark').onButton, '#000000')
})

test('contrast is as WCAG defines it', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
})
