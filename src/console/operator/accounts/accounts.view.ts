import { html } from 'ghtml'
import type { Account, Found } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { listPagination } from '../listing.ts'
import { accountState } from '../state-badges.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { searchForm } from '../../parts/form/search-form.ts'
import { table } from '../../parts/table.ts'
import { viewerTime } from '../../parts/format/time.ts'

const path = '/operator/accounts'

interface AccountsView {
  viewer: Viewer
  q: string
  found: Found<Account> & { page: number }
}

export const accountsPage = ({ viewer, q, found }: AccountsView): Page =>
  layout({
    title: 'Accounts',
    viewer,
    path,
    body: html`!${pageHeader({
      title: 'Accounts',
      lead: { text: 'Merchants, developers and operators: everyone who can sign in.' },
      actions: html`<a class="button" href="${path}/new">Create account</a>`,
    })}
      !${searchForm({ action: path, label: 'Search', value: q, placeholder: 'Part of an email' })}
      !${
        found.total === 0
          ? emptyState({
              title: 'No accounts found',
              content: { text: 'Search by part of an email, or by an account id.' },
              action: { href: path, label: 'Show all' },
            })
          : card({ body: accountTable(found.rows) })
      }
      !${listPagination({ label: 'Accounts', path, q, found })}`,
  })

const accountTable = (rows: readonly Account[]): string =>
  table<Account>({
    caption: 'Accounts',
    rows,
    columns: [
      { title: 'Email', html: ({ id, email }) => html`<a href="${path}/${id}">${email}</a>` },
      { title: 'Role', text: ({ role }) => role },
      { title: 'State', html: accountState },
      { title: 'Created', html: ({ created_at }) => viewerTime(created_at, { precision: 'day' }) },
    ],
  })
