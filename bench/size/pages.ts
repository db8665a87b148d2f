import { median } from '../row.ts'
import { accountId, apps, appId, emailOf, sessionOf, type Shape, storeId } from './shape.ts'

const rounds = 5

/** Every page of the console that reads a list, a sum or a search; for the first account of each role. */
const pagesOf = (shape: Shape): Record<'merchant' | 'developer' | 'operator', string[]> => {
  const [app, first] = [appId(0), storeId(0)]
  const last = Math.floor(shape.stores / 25)
  return {
    merchant: [
      '/account/apps',
      `/account/apps/${app}`,
      `/account/apps/${app}/stores`,
      `/account/apps/${app}/revoke`,
      '/account/activity',
      '/account/activity/account',
      '/account/stores',
      '/account/stores?q=harbour',
      `/account/stores/${first}/orders`,
      `/account/stores/${first}/items`,
      `/account/stores/${first}/sales`,
      '/profile',
    ],
    developer: [
      '/developer/apps',
      `/developer/apps/${app}`,
      `/developer/apps/${app}/activity`,
      `/developer/apps/${app}/requests`,
      `/developer/apps/${app}/webhooks`,
      `/developer/apps/${app}/disable`,
    ],
    operator: [
      '/operator',
      '/operator?period=30d',
      '/operator/stores',
      `/operator/stores?page=${last}`,
      '/operator/stores?q=harbour',
      '/operator/stores?q=nothing+has+this+name',
      `/operator/stores?q=${first}`,
      `/operator/stores?app=${app}`,
      `/operator/stores?app=${app}&q=harbour`,
      `/operator/stores/${first}`,
      '/operator/apps',
      `/operator/apps?page=${Math.floor(apps(shape) / 25)}`,
      '/operator/apps?q=developer-1',
      `/operator/apps/${app}`,
      `/operator/apps/${app}/revoke`,
      `/operator/apps/${app}/disable`,
      `/operator/apps/${app}/stores`,
      '/operator/accounts',
      '/operator/accounts?q=merchant-1',
      `/operator/accounts?q=${emailOf('merchant', 0)}`,
      `/operator/accounts/${accountId('merchant', 0)}`,
      `/operator/accounts/${accountId('merchant', 0)}/disable`,
      '/operator/audit',
      '/operator/audit?q=merchant-0%40size.example',
      '/operator/audit?q=nothing+has+this+text',
      '/operator/audit?action=keys_rotated',
      '/operator/webhooks',
      '/operator/settings',
    ],
  }
}

/** Milliseconds of each page, one request at a time. */
export async function timePages(base: string, shape: Shape): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const [role, paths] of Object.entries(pagesOf(shape))) {
    const headers = { cookie: `tillgate_session=${sessionOf(role)}` }
    for (const path of paths) found.set(`${role} ${nameOf(path)}`, await timePage(base + path, headers))
  }
  return found
}

/** The same for sets of different size. */
const nameOf = (path: string): string => path.replace(/page=\d+/, 'page=last')

async function timePage(url: string, headers: Record<string, string>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const response = await fetch(url, { headers, redirect: 'manual' })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`)
    times.push(performance.now() - began)
  }
  return median(times)
}
