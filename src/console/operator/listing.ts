import type { Static } from 'typebox'
import type { Found, Search } from '../../storage/port/index.ts'
import { fields, text } from '../fields.ts'
import { formatNumber } from '../parts/format/numbers.ts'
import { pageNumber, pagination } from '../parts/pagination.ts'
import { withQuery } from '../parts/with-query.ts'

/** The query of a list: a text to search for, and a page. */
export const listingQuery = fields({ q: text, page: text })

interface Listing {
  q: string
  /** From 1. */
  page: number
}

const pageSize = 50
/** As in the search field; nothing has a longer name. */
export const maxTextLength = 200

export const readListing = ({ q, page }: Static<typeof listingQuery>): Listing => ({
  q: q.trim().slice(0, maxTextLength),
  page: pageNumber(page),
})

/** The requested page, or the last one when the list has become shorter. */
export async function findPage<Row>(
  { q, page }: Listing,
  find: (search: Search) => Promise<Found<Row>>,
): Promise<Found<Row> & { page: number }> {
  const open = async (page: number) => ({
    ...(await find({ text: q, offset: (page - 1) * pageSize, limit: pageSize })),
    page,
  })
  const found = await open(page)
  const last = Math.max(1, Math.ceil(found.total / pageSize))
  return page > last ? open(last) : found
}

interface ListPagination {
  /** Text: names the list for screen readers. */
  label: string
  path: string
  q: string
  found: { total: number; page: number }
  /** Other parameters of the page's address. */
  keep?: Record<string, string | null>
}

export function listPagination({
  label,
  path,
  q,
  found: { total, page },
  keep = {},
}: ListPagination): string {
  const to = (page: number): string => withQuery(path, { ...keep, q, page: page === 1 ? null : page })
  const first = (page - 1) * pageSize + 1
  const last = Math.min(total, page * pageSize)
  return pagination({
    label,
    newer: page > 1 ? to(page - 1) : null,
    older: last < total ? to(page + 1) : null,
    words: { newer: 'Previous', older: 'Next' },
    position: `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`,
  })
}
