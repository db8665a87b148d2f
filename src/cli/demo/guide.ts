import { owner } from '../../demo/records.ts'
import { formatDatetime, parseDatetime } from '../../lib/datetime.ts'
import type { Demo, FilledDemo, Login } from './fill.ts'

/**
 * Addresses, logins and commands to try with a new demo. The commands need bash and curl only; a test pastes them.
 * `ledger_site`: null where the example app is not installed.
 */
export function demoGuide(filled: FilledDemo, base_url: string, ledger_site: string | null): string {
  const { demo, neighbour, ledger, last_order } = filled
  const owned = demo.stores.filter(store => store.merchant === owner)
  const store = owned.find(({ id }) => id in last_order) ?? owned[0]
  const sections = [
    pages(base_url, ledger_site),
    logins(demo, neighbour),
    stores(demo),
    [
      'Apps',
      row('Dashboard', `client_id=${demo.app.client_id} client_secret=${demo.app.client_secret}`),
      row('Tills', `client_id=${demo.platform.client_id} client_secret=${demo.platform.client_secret}`),
      row('Ledger', `client_id=${ledger.client_id} client_secret=${ledger.client_secret}`),
    ],
  ]
  if (store) sections.push(commands(demo, base_url, store.id, last_order[store.id]))
  return sections.map(lines => lines.join('\n')).join('\n\n')
}

const row = (name: string | number, value: string): string => `  ${String(name).padEnd(12)}${value}`

const pages = (base_url: string, ledger_site: string | null): string[] => [
  'Pages',
  row('Sign in', `${base_url}/login`),
  row('Merchant', `${base_url}/account/apps`),
  row('Developer', `${base_url}/developer/apps`),
  row('Operator', `${base_url}/operator`),
  row('API', `${base_url}/docs and ${base_url}/openapi.json`),
  ...(ledger_site === null ? [] : [row('Example app', ledger_site), consent(ledger_site)]),
]

/** The app's own link: it keeps state and PKCE in the browser's session, and sends the browser to the consent page. */
const consent = (ledger_site: string): string => row('Consent', `${ledger_site}/connect`)

const logins = ({ merchant, developer, operator }: Demo, neighbour: Login): string[] => {
  const login = (name: string, { email, password }: Login) => row(name, `${email.padEnd(24)}${password}`)
  return [
    'Logins',
    login('Merchant', merchant),
    login('Merchant 2', neighbour),
    login('Developer', developer),
    login('Operator', operator),
  ]
}

/** Stores that the guide lists. */
const mostStores = 12

const stores = ({ stores }: Demo): string[] => {
  const rows = stores
    .slice(0, mostStores)
    .map(({ id, name, timezone, merchant }) => row(id, `${name}, ${timezone} (${merchant})`))
  const more = stores.length - mostStores
  return ['Stores', ...rows, ...(more > 0 ? [row('', `and ${more} more`)] : [])]
}

function commands({ app, platform }: Demo, base_url: string, store_id: number, last?: string): string[] {
  const window = windowOf(last)
  const api = `${base_url}/integration/v1`
  const get = (path: string) => `curl -s -H "Authorization: Bearer $TOKEN" '${api}${path}'; echo`
  return [
    '# Paste into a shell: get a token, then read stores, orders, items and item sales',
    ...token('TOKEN', base_url, app),
    '',
    get('/stores'),
    get(`/orders?store_id=${store_id}&${window}&count=3`),
    get(`/inventory/items?store_id=${store_id}&count=5`),
    get(`/inventory/sales?store_id=${store_id}&${window}&count=5`),
    '',
    '# Write a record, as the tills do',
    ...token('TILLS', base_url, platform),
    '',
    `curl -s -H "Authorization: Bearer $TILLS" -H 'Content-Type: application/x-ndjson' '${base_url}/platform/v1/records' \\`,
    `  -d '{"kind":"store","id":1,"name":"My first store","timezone":"Europe/Paris","merchant":"${owner}"}'; echo`,
  ]
}

const token = (variable: string, base_url: string, { client_id, client_secret }: Demo['app']): string[] => [
  `${variable}=$(curl -s '${base_url}/auth/v2/token' -d grant_type=client_credentials \\`,
  `  -d client_id=${client_id} -d client_secret=${client_secret} \\`,
  `  | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')`,
]

const day = 86_400

/** The day of the last order and the day before it: one second less than the two days that an order window may span. */
function windowOf(last = '1970-01-02 00:00:00'): string {
  const midnight = Math.floor((parseDatetime(last) ?? 0) / day) * day
  const text = (seconds: number) => formatDatetime(seconds).replace(' ', '%20')
  return `start_date=${text(midnight - day)}&end_date=${text(midnight + day - 1)}`
}
