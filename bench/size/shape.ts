import { sha256 } from '../../src/lib/hash.ts'

/** The shape of a data set of a given number of stores: every id follows from it, so nothing has to be remembered. */
export interface Shape {
  /** Short stores, beside those of the benchmark. */
  stores: number
  /** Orders of each. */
  orders: number
}

type Cell = string | number | boolean | null
/** A row by the names of its columns. */
export type Named = Record<string, Cell>

const firstStore = 2_000_001
/** The stores of the benchmark, which the first app may read by the operator's link. */
export const benchStores = Array.from({ length: 10 }, (_, i) => 1001 + i)
/** Merchants with a fiftieth of all stores each: 2,000 of 100,000. */
const largeMerchants = 5
/** Stores of every other merchant. */
const storesOfMerchant = 3
/** Merchants who allow an app; the first app is allowed by all of them. */
const merchantsOfApp = 100
/** Apps that the first merchant allows for all stores. */
const appsOfFirst = 10

export const storeId = (index: number): number => firstStore + index
const largeOf = ({ stores }: Shape): number => Math.floor(stores / 50)

export function merchantOf(shape: Shape, index: number): number {
  const large = largeOf(shape)
  const inLarge = large * largeMerchants
  if (index < inLarge) return Math.floor(index / large)
  return largeMerchants + Math.floor((index - inLarge) / storesOfMerchant)
}

export const merchants = (shape: Shape): number => merchantOf(shape, shape.stores - 1) + 1

export const apps = ({ stores }: Shape): number => Math.max(10, Math.floor(stores / 100))
export const developers = (shape: Shape): number => apps(shape) / 2

/** Indexes of the stores of a merchant. */
export function storesOf(shape: Shape, merchant: number): number[] {
  const large = largeOf(shape)
  const [first, count] =
    merchant < largeMerchants
      ? [merchant * large, large]
      : [large * largeMerchants + (merchant - largeMerchants) * storesOfMerchant, storesOfMerchant]
  return Array.from({ length: Math.min(count, shape.stores - first) }, (_, i) => first + i)
}

/** The merchants who allow an app. */
export function merchantsOf(shape: Shape, app: number): number[] {
  const all = merchants(shape)
  if (app === 0) return Array.from({ length: all }, (_, merchant) => merchant)
  const found = new Set(Array.from({ length: merchantsOfApp }, (_, i) => (app * 37 + i * 61) % all))
  if (app < appsOfFirst) found.add(0)
  return [...found]
}

export const emailOf = (role: string, index: number): string => `${role}-${index}@size.example`
export const accountId = (role: string, index: number): string => `${role}-${index}`
export const appId = (index: number): string => `app-${index}`
export const endpointId = (app: number): string => `endpoint-${app}`
export const developerOf = (shape: Shape, app: number): number => app % developers(shape)

/** Of the first account of each role: the value of its session cookie. */
export const sessionOf = (role: string): string => `session-of-the-first-${role}`
/** The app that sends records; its index is -1. */
export const tillsApp = appId(-1)
export const secretOf = (app: number): string => sha256(`secret of ${appId(app)}`)
