import type { ConnectedStore } from '../../domain/apps/connected-apps.ts'
import type { App } from '../../storage/port/index.ts'
import { badge } from '../parts/badge.ts'

/** Empty for an enabled app. */
export const appBadges = ({ disabled_at, disabled_by_owner }: App): string => {
  if (disabled_at === null) return ''
  return badge(disabled_by_owner ? 'Disabled by its developer' : 'Disabled by the operator', 'warn')
}

const listFormat = new Intl.ListFormat('en')

/** Up to five stores by name, more as a count. */
export function storesInWords(stores: readonly Pick<ConnectedStore, 'name'>[]): string {
  if (stores.length === 0) return 'None'
  return stores.length > 5 ? `${stores.length} stores` : listFormat.format(stores.map(({ name }) => name))
}
