import { posix } from 'node:path'
import { html } from 'ghtml'
import { Marked, type Tokens } from 'marked'
import { guideAddress, guides } from '../../http/ops/guides.ts'
import { exampleAddress, examples } from './guide-files.ts'

/** The HTML of a guide. Its links lead to other guides and examples, not to the files of the repository. */
export function renderMarkdown(text: string, file: string): string {
  const marked = new Marked({
    renderer: {
      // Headings have an address, as on the pages of a repository.
      heading({ tokens, depth, text: title }) {
        return html`<h${depth} id="${slug(title)}">!${this.parser.parseInline(tokens)}</h${depth}>`
      },
      link({ href, text: name, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const [path = '', anchor] = href.split('#')
        const target = /^(https?:|$)/.test(path) ? null : posix.join(posix.dirname(file), path)
        if (target === null) return anchorTo(href, inner)
        const guide = guides.find(each => each.file === target)
        const hash = anchor === undefined ? '' : `#${anchor}`
        if (guide) return anchorTo(guideAddress(guide) + hash, name.endsWith('.md') ? guide.title : inner)
        // A file that the server does not show keeps its name.
        return examples.includes(target) ? anchorTo(exampleAddress(target), inner) : inner
      },
      // What is too wide is scrolled, so the keyboard must reach it.
      code({ text: code }) {
        return html`<pre tabindex="0"><code>${code}</code></pre>`
      },
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          html`<tr>!${row.map(({ tokens }) => html`<${tag}>!${this.parser.parseInline(tokens)}</${tag}>`)}</tr>`
        return html`<div class="wide-table" tabindex="0" role="region" aria-label="Table"><table>
          <thead>!${cells(header, 'th')}</thead>
          <tbody>!${rows.map(row => cells(row, 'td'))}</tbody>
        </table></div>`
      },
      // A check box that nobody can tick says nothing more than its list.
      checkbox: () => '',
      html: ({ text: comment }) => (comment.startsWith('<!--') ? '' : html`${comment}`),
    },
  })
  return marked.parse(text, { async: false })
}

const anchorTo = (href: string, inner: string): string => html`<a href="${href}">!${inner}</a>`

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
