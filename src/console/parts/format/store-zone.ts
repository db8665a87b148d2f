import type { MerchantStore } from '../../../storage/port/index.ts'

/** The time zone of most of these stores (the first in a tie), for times that belong to no single store. */
export function homeZone(stores: readonly Pick<MerchantStore, 'timezone'>[]): string {
  const zones = [...Map.groupBy(stores, ({ timezone }) => timezone).entries()]
  const most = zones.reduce((most, [, of]) => Math.max(most, of.length), 0)
  return zones.find(([, of]) => of.length === most)?.[0] ?? 'UTC'
}
