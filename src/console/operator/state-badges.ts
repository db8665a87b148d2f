import type { Account, App } from '../../storage/port/index.ts'
import { badge } from '../parts/badge.ts'

export const accountState = ({ disabled_at }: Pick<Account, 'disabled_at'>): string =>
  disabled_at === null ? badge('Enabled', 'good') : badge('Disabled', 'bad')

export const appState = ({ disabled_at, disabled_by_owner }: App): string => {
  if (disabled_at === null) return badge('Enabled', 'good')
  return disabled_by_owner ? badge('Disabled by its developer', 'warn') : badge('Disabled', 'bad')
}
