import type { OrderRecord } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import { type Channel, drawChannel } from '../channels.ts'
import { atLocal, daySeconds, localDay } from '../local-time.ts'
import { deviceOf, makeOrder } from '../order.ts'
import { slotMinutes } from '../places.ts'
import type { Shop } from '../shop.ts'
import { formatDate } from '../../lib/datetime.ts'

/** A sale at this time. Its number is the second of the UTC day, with five digits where the demo's others have four. */
export function sell(shop: Shop, created_at: Seconds, channel?: Channel): OrderRecord {
  const number = String(created_at % daySeconds).padStart(5, '0')
  const date = formatDate(created_at).replaceAll('-', '')
  return makeOrder(shop, {
    id: `${shop.id}-${date}-${number}`,
    parent_id: null,
    order_number: number,
    created_at,
    day: localDay(shop.place.timezone, created_at),
    channel: channel ?? drawChannel(shop.random, shop.place.tables),
  })
}

const overTheCounter: Channel = { source: 1, fulfillment: 3 }

/** A sale of one of the store's tills, which may have the second of another one's. */
export function sellAt(shop: Shop, till: 1 | 2 | 3, created_at: Seconds): OrderRecord {
  const order = sell(shop, created_at, overTheCounter)
  return { ...order, ...deviceOf(shop.id, till), id: `${order.id}-${till}` }
}

export function isOpen({ place }: Shop, now: Seconds): boolean {
  const { opens, busy } = place.hours
  const opened = atLocal(place.timezone, localDay(place.timezone, now), opens)
  return now >= opened && now < opened + busy.length * slotMinutes * 60
}
