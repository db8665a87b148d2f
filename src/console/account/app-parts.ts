import type { App } from '../../storage/port/index.ts'
import { badge } from '../parts/badge.ts'

/** Empty for an enabled app. */
export const appBadges = ({ disabled_at, disabled_by_owner }: App): string => {
  if (disabled_at === null) return ''
  return badge(disabled_by_owner ? 'Disabled by its developer' : 'Disabled by the operator', 'warn')
}
