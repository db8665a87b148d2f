import { isFound } from '../consent/store-choice.ts'
import { searchForm } from '../parts/form/search-form.ts'
import { pageNumber, pagination } from '../parts/pagination.ts'
import { withQuery } from '../parts/with-query.ts'

/** The part of a list of stores that a page shows. */
export interface StorePart {
  search: string
  /** From 1. */
  page: number
}

export const storePart = ({ q, page }: { q: string; page: string }): StorePart => ({
  search: q.trim().slice(0, 200),
  page: pageNumber(page),
})

const pageSize = 25

interface ShownStores<Store> {
  rows: Store[]
  /** HTML above and below the rows; empty when there are few stores. */
  search: string
  pages: string
}

/** The stores of this part, with search and pages when there are many. `path` is the address of the page. */
export function showStores<Store extends { name: string }>(
  all: readonly Store[],
  { search, page }: StorePart,
  path: string,
): ShownStores<Store> {
  const found = all.filter(store => isFound(store, search))
  const first = (page - 1) * pageSize
  const rows = found.slice(first, first + pageSize)
  const at = (number: number): string => withQuery(path, { q: search, page: number === 1 ? null : number })
  return {
    rows,
    search:
      all.length <= pageSize && search === ''
        ? ''
        : searchForm({ action: path, label: 'Find a store', value: search }),
    pages: pagination({
      label: 'Stores',
      newer: page > 1 ? at(page - 1) : null,
      older: first + pageSize < found.length ? at(page + 1) : null,
      words: { newer: 'Previous', older: 'Next' },
      position: `${first + 1}–${first + rows.length} of ${found.length}`,
    }),
  }
}
