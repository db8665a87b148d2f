import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { exampleAddress, examples, guideAddress, guides } from './guide-files.ts'

/** The HTML of a guide. Its links lead to other guides and examples, not to the files of the repository. */
export function renderMarkdown(text: string, file: string): string {
  const marked = new Marked({
    renderer: {
      // Headings have an address, as on the pages of a repository.
      heading({ tokens, depth, text: title }) {
        return `<h${depth} id="${slug(title)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
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
        return `<pre tabindex="0"><code>${escape(code)}</code></pre>\n`
      },
      table(token) {
        return `<div class="wide-table" tabindex="0" role="region" aria-label="Table">${tableOf(token, cell => this.parser.parseInline(cell.tokens))}</div>\n`
      },
      // A check box that nobody can tick says nothing more than its list.
      checkbox: () => '',
      html: ({ text: comment }) => (comment.startsWith('<!--') ? '' : escape(comment)),
    },
  })
  return marked.parse(text, { async: false })
}

function tableOf({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    `<tr>${cells.map(cell => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`
  return `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map(cells => row(cells, 'td')).join('')}</tbody></table>`
}

const anchorTo = (href: string, inner: string): string => `<a href="${escape(href)}">${inner}</a>`

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, each => entities[each] ?? '')
