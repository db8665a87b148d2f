import {
  fulfillments,
  orderStatuses,
  paymentPlatforms,
  paymentTypes,
  promotionTypes,
  sources,
  unitTypes,
} from '../../contract/codes.ts'
import { badge, type Tone } from '../parts/badge.ts'

/** The words for the codes of an order; an unknown code is shown as it is. */

type Codes = Readonly<Record<number, string>>

const nameOf = (codes: Codes, code: number | null): string =>
  code === null ? '–' : (codes[code] ?? `code ${code}`)

const statuses: Codes = { ...orderStatuses, 2: 'Paid', 3: 'Refunded', 11: 'Partly refunded' }
const tones: Readonly<Record<number, Tone>> = { 2: 'good', 3: 'bad', 11: 'warn' }

export const statusName = (status: number): string => nameOf(statuses, status)
export const statusBadge = (status: number): string => badge(statusName(status), tones[status] ?? 'neutral')
/** The label that the platform sent comes first. */
export const sourceName = (code: number | null, label: string | null): string =>
  label ?? nameOf(sources, code)
export const fulfillmentName = (code: number | null, label: string | null): string =>
  label ?? nameOf(fulfillments, code)
export const paymentName = (code: number, label: string | null): string => label ?? nameOf(paymentTypes, code)
export const platformName = (code: number | null): string => nameOf(paymentPlatforms, code)
export const promotionName = (code: number, label: string | null): string =>
  label ?? nameOf(promotionTypes, code)
/** Empty for pieces. */
export const unitName = (code: number | null): string =>
  code === null || code === 0 ? '' : nameOf(unitTypes, code).toLowerCase()

const options = (codes: Codes) => Object.entries(codes).map(([value, label]) => ({ value, label }))

export const statusOptions = options(statuses)
export const sourceOptions = options(sources)
export const paymentOptions = options(paymentTypes)

/** A code that a query names, if it is one of these; null filters nothing. */
export const codeIn = (list: readonly { value: string }[], text: string): number | null =>
  list.some(({ value }) => value === text) ? Number(text) : null
