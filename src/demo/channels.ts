import type { fulfillments, sources } from '../contract/codes.ts'
import { type Random, weighted } from './random.ts'

/** Sales channels: the source and fulfilment of an order, and what depends on them. */
export interface Channel {
  source: keyof typeof sources
  fulfillment: keyof typeof fulfillments
}

type Row = [source: Channel['source'], fulfillment: Channel['fulfillment'], weight: number]

const table = (rows: readonly Row[]) =>
  weighted(rows.map(([source, fulfillment, weight]) => [{ source, fulfillment }, weight] as const))

const online: Row[] = [
  [3, 3, 1.5],
  [3, 4, 1],
  [4, 3, 1],
  [4, 4, 1],
  [11, 3, 1.5],
  [11, 4, 0.5],
  [40, 3, 6],
  [40, 4, 3],
  [42, 3, 2],
  [42, 4, 1],
  [48, 3, 1],
  [53, 5, 4],
  [54, 5, 3],
  [55, 5, 3],
]

const atTables = table([
  [1, 2, 26],
  [1, 1, 8],
  [1, 3, 8],
  [2, 1, 2],
  [2, 3, 2],
  [30, 2, 12],
  [35, 1, 4],
  [36, 2, 4],
  ...online,
])

const atCounter = table([
  [1, 3, 34],
  [1, 1, 18],
  [1, 2, 1],
  [2, 1, 4],
  [2, 3, 5],
  [30, 2, 1],
  [35, 1, 3],
  [35, 3, 3],
  [36, 2, 1],
  ...online,
])

export const drawChannel = (random: Random, tables: boolean): Channel =>
  tables ? atTables(random) : atCounter(random)

export const isGiftCard = ({ source }: Channel): boolean => source === 48
export const isPreOrder = ({ source }: Channel): boolean => source === 11 || source === 42
export const isPlatform = ({ fulfillment }: Channel): boolean => fulfillment === 5
/** Eaten in the store; taxes and surcharges depend on it. */
export const isHere = ({ fulfillment }: Channel): boolean => fulfillment === 1 || fulfillment === 2
/** Entered on a device in the store; the other orders come from the web. */
export const isOnDevice = ({ source }: Channel): boolean => source <= 3 || source === 11

export function drawDishes(random: Random, { fulfillment }: Channel): number {
  switch (fulfillment) {
    case 1:
      return random.between(1, 4)
    case 2:
      return random.between(2, 7)
    case 3:
      return random.between(1, 3)
    case 4:
    case 5:
      return random.between(2, 5)
  }
}

/** Seconds from the order to its first payment: customers at a table eat first, a payment link is paid later. */
export function drawPayDelay(random: Random, { source, fulfillment }: Channel): number {
  if (fulfillment === 2) return random.between(25 * 60, 110 * 60)
  if (source === 4) return random.between(2 * 60, 45 * 60)
  return random.between(5, 150)
}
