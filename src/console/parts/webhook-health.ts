import type { WebhookEndpoint } from '../../storage/port/index.ts'
import { badge } from './badge.ts'

/** The state of a webhook endpoint, for its developer and for the operator. */
export function healthBadge({ disabled_at, failures }: WebhookEndpoint, called: boolean): string {
  if (disabled_at !== null) return badge('Disabled', 'bad')
  if (failures > 0) return badge('Failing', 'warn')
  return called ? badge('Working', 'good') : badge('Not called yet')
}

export const disabledReasons = {
  by_hand: 'It was disabled manually.',
  gone: 'It answered 410 Gone, so it was disabled.',
  failing: 'Every attempt failed for five days, so it was disabled.',
}
