import { median } from '../row.ts'
import { accountId, apps, appId, emailOf, endpointId, sessionOf, type Shape, storeId } from './shape.ts'
import { deliveryId } from './webhooks.ts'

const rounds = 3
/** A page takes at most this long. */
export const pageLimit = 300

type Role = 'merchant' | 'developer' | 'operator'

/** Every page of the console; for the first account of each role, which has the most stores or apps. */
const pagesOf = (shape: Shape): Record<Role, string[]> => {
  const [first, app] = [storeId(0), `/developer/apps/${appId(0)}`]
  const endpoint = `${app}/webhooks/${endpointId(0)}`
  return {
    merchant: [
      ...merchantPages,
      ...storePages(`/account/stores/${first}`),
      '/profile',
      '/profile/password',
      '/profile/two-factor',
    ],
    developer: [
      '/developer/apps',
      '/developer/apps/new',
      ...['', '/edit', '/connect', '/activity', '/activity?period=30d', '/disable', '/try'].map(
        end => app + end,
      ),
      ...['/requests', '/requests?status=errors', '/requests/request-0', '/webhooks'].map(end => app + end),
      ...['', '/delete', `/deliveries/${deliveryId(0, 0)}`].map(end => endpoint + end),
    ],
    operator: [
      '/operator',
      '/operator?period=30d',
      ...operatorStores(shape),
      ...storePages(`/operator/stores/${first}`),
      ...operatorApps(shape),
      ...operatorAccounts(accountId('merchant', 0)),
      ...audits,
      '/operator/webhooks',
      '/operator/settings',
    ],
  }
}

const merchantPages = [
  '/account/apps',
  ...['', '/stores', '/revoke'].map(end => `/account/apps/${appId(0)}${end}`),
  '/account/activity',
  '/account/activity/account',
  '/account/stores',
  '/account/stores?q=harbour',
]

const storePages = (store: string): string[] => [
  `${store}/orders`,
  `${store}/orders?q=order-1`,
  `${store}/order?id=order-1`,
  `${store}/items`,
  `${store}/sales`,
]

const operatorStores = (shape: Shape): string[] => [
  '/operator/stores',
  `/operator/stores?page=${Math.floor(shape.stores / 25)}`,
  '/operator/stores?q=harbour',
  '/operator/stores?q=nothing+has+this+name',
  `/operator/stores?q=${storeId(0)}`,
  `/operator/stores?app=${appId(0)}`,
  `/operator/stores?app=${appId(0)}&q=harbour`,
  `/operator/stores/${storeId(0)}`,
]

const operatorApps = (shape: Shape): string[] => [
  '/operator/apps',
  `/operator/apps?page=${Math.floor(apps(shape) / 25)}`,
  '/operator/apps?q=developer-1',
  ...['', '/revoke', '/disable', '/stores'].map(end => `/operator/apps/${appId(0)}${end}`),
]

const operatorAccounts = (merchant: string): string[] => [
  '/operator/accounts',
  '/operator/accounts/new',
  '/operator/accounts?q=merchant-1',
  `/operator/accounts?q=${emailOf('merchant', 0)}`,
  '/operator/accounts?q=nothing+has+this+name',
  ...['', '/disable', '/password-link', '/two-factor-off'].map(end => `/operator/accounts/${merchant}${end}`),
]

const audits = [
  '/operator/audit',
  `/operator/audit?q=${emailOf('merchant', 0)}`,
  '/operator/audit?q=nothing+has+this+text',
  '/operator/audit?action=keys_rotated',
]

/** Milliseconds of each page in both sets, one request at a time. */
export async function* comparePages(
  small: { base: string; shape: Shape },
  large: { base: string; shape: Shape },
): AsyncGenerator<[name: string, small: number, large: number]> {
  const [ofSmall, ofLarge] = [pagesOf(small.shape), pagesOf(large.shape)]
  for (const role of Object.keys(ofLarge) as Role[]) {
    const headers = { cookie: `tillgate_session=${sessionOf(role)}` }
    for (const [i, path] of ofLarge[role].entries()) {
      const one = await timePage(`${small.base}${ofSmall[role][i]}`, headers)
      yield [nameOf(path), one, await timePage(large.base + path, headers)]
    }
  }
}

/** The same for sets of different size. */
const nameOf = (path: string): string => path.replace(/page=\d+/, 'page=last')

/** After one request that is not timed. */
async function timePage(url: string, headers: Record<string, string>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now()
    const response = await fetch(url, { headers, redirect: 'manual' })
    await response.arrayBuffer()
    if (response.status !== 200) console.error(`${url} was answered with ${response.status}`)
    times.push(performance.now() - began)
  }
  return median(times.slice(1))
}
