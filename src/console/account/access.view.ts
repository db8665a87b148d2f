import type { AppConnections } from '../../domain/apps/connected-apps.ts'
import { storesOf } from '../../domain/apps/connected-apps.ts'
import { storeNames, storesInWords } from '../parts/format/store-name.ts'

/** What an app can really read, in sentences: by the merchant's consent and by the operator's links together. */

export const askOperator = 'To end that, ask the operator.'

/** The stores that the app can read now, or could if it were not disabled. */
export function canRead(connections: AppConnections): string {
  const { app, stores } = connections
  const readable = storesOf(connections)
  const words = readable.length === 0 ? null : storesInWords(readable, storeNames(stores))
  if (app.disabled_at !== null) {
    const later = words === null ? '' : ` When it is enabled again, it can read ${words}.`
    return `${app.name} is disabled, so it cannot read anything now.${later}`
  }
  return words === null ? `${app.name} cannot read any of your stores.` : `${app.name} can read ${words}.`
}

/** The same, after the operator's part of it. */
export function canReadByLink(connections: AppConnections): string {
  const { linked } = connections
  const what = canRead({ ...connections, own: null })
  return linked === null
    ? what
    : `${what} Your platform’s operator connected it${linked.stores.length === 1 ? ' to this store' : ' to these stores'}. ${askOperator}`
}

/** The kinds of data that an app reads by these scopes, as parts of a list. */
export function dataInWords(scopes: readonly string[]): string[] {
  return [
    ...(scopes.includes('integration.order')
      ? ['orders, with their items, taxes, payments and promotions']
      : []),
    ...(scopes.includes('integration.inventory') ? ['items, and how many of each were sold'] : []),
    ...(scopes.includes('integration.store') ? ['store names and time zones'] : []),
  ]
}
