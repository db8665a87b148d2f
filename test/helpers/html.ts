import assert from 'node:assert/strict'

/** Our one file, and nothing before or in it. */
const ours = /<script src="\/assets\/console\.js\?v=[\w-]{12}" defer><\/script>/g

/** Fails when a page has script but our own file, a style, or an attribute that runs or styles something. */
export function assertNoInlineCode(text: string): void {
  assert.doesNotMatch(text.replace(ours, ''), /<script|<style|\sstyle=|\son\w+=|javascript:/i)
}

/** What a person reads on a page: text without markup, spaces as one. Good enough for pages that we wrote. */
export const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/\s+/g, ' ')

/** The same with a space where a tag was, so that cells, terms and values stand apart. */
export const wordsOf = (html: string): string =>
  textOf(html.replaceAll('<wbr>', '').replace(/<[^>]*>/g, ' ')).trim()

/** Where the page's link of this relation leads. */
export const linked = (html: string, rel: string): string | undefined => {
  const href = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1]
  return href && textOf(href)
}
