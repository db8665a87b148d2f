import { html } from 'ghtml'
import { layout, type Page } from '../layout.ts'
import { zoneName } from '../parts/format/time.ts'
import { pageHeader } from '../parts/page-header.ts'
import { tabs } from '../parts/tabs.ts'
import type { OpenStore } from './store.ts'
import type { Action } from '../parts/content.ts'

interface Frame {
  open: OpenStore
  /** The last part of the tab's address. */
  current: 'orders' | 'items' | 'sales'
  /** Text before the store's name in the title of the page. */
  title: string
  /** HTML: links that concern the whole page. */
  actions?: string
  /** HTML. */
  body: string
}

/** The header and the tabs of a store's data. */
export const dataFrame = ({ open, current, title, actions, body }: Frame): Page => {
  const { base, store, viewer, place } = open
  return layout({
    title: `${title}, ${store.name}`,
    viewer,
    path: `${base}/${current}`,
    body: html`!${pageHeader({
      title: store.name,
      lead: { text: `Store ${store.id}. Times are in ${zoneName(store.timezone)}.` },
      back:
        place.stores === '/operator/stores'
          ? { href: base, label: 'The store and its apps' }
          : { href: place.stores, label: 'Stores' },
      ...(actions !== undefined && { actions }),
    })}
    !${tabs({
      label: 'The store’s data',
      current: `${base}/${current}`,
      entries: dataLinks(base),
    })}
    !${body}`,
  })
}

/** The pages of a store's data; `base` is the address of the store. */
export const dataLinks = (base: string): Action[] => [
  { href: `${base}/orders`, label: 'Orders' },
  { href: `${base}/items`, label: 'Items' },
  { href: `${base}/sales`, label: 'Sales' },
]

/** A link to a file with the same data. */
export const exportLink = (href: string): string =>
  html`<a class="button secondary" href="${href}" download>Export as CSV</a>`
