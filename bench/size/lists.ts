import { tokenFor } from '../load/client.ts'
import { apps, appId, secretOf, sessionOf, type Shape, storeId, storesOf } from './shape.ts'

/** Milliseconds of the lists of an app that may read every store, and of a consent for the stores of a large merchant. */
export async function timeLists(base: string, shape: Shape): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const token = await tokenFor(base, { client_id: appId(0), client_secret: secretOf(0) })
  const headers = { authorization: `Bearer ${token}` }
  const time = async (name: string, work: () => Promise<void>): Promise<void> => {
    const began = performance.now()
    await work()
    found.set(name, performance.now() - began)
  }
  for (const list of ['stores', 'changes/heads']) {
    const url = `${base}/integration/v1/${list}`
    const last = Math.floor(shape.stores / 100) - 1
    await time(`${list}, the first page of 100`, () => page(`${url}?count=100`, headers))
    await time(`${list}, the last page of 100 by index`, () =>
      page(`${url}?count=100&index=${last}`, headers),
    )
    await time(`${list}, all in pages of 2000`, () => walk(`${url}?count=2000`, headers))
    await time(`${list}, all in one page`, () => page(`${url}?count=1000000`, headers))
  }
  await consent(base, shape, time)
  return found
}

async function page(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
}

async function walk(first: string, headers: Record<string, string>): Promise<void> {
  for (let next: string | undefined = first; next; ) {
    const response: Response = await fetch(next, { headers })
    await response.arrayBuffer()
    const link = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1]
    next = link && new URL(link, first).href
  }
}

/** An app that the merchant has not allowed yet, unless the trial ran before. */
async function consent(
  base: string,
  shape: Shape,
  time: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const app = apps(shape) - 1
  const browser = new Browser(base, `tillgate_session=${sessionOf('merchant')}`)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: appId(app),
    scope: 'integration.store',
    redirect_uri: `https://app-${app}.example/callback`,
  })
  const address = await browser.follow(`/auth/v2/authorize?${query}`)
  let html = ''
  await time('consent, the page', async () => {
    html = await (await browser.open(address)).text()
  })
  const form = new URLSearchParams({
    _csrf: csrfOf(html),
    decision: 'allow',
  })
  for (const index of storesOf(shape, 0)) form.append('store', String(storeId(index)))
  await time('consent, allowed', async () => {
    const response = await browser.open(address, form)
    if (response.status !== 303) throw new Error(`the consent was answered with ${response.status}`)
  })
  await time('consent, revoked', async () => {
    const path = `/account/apps/${appId(app)}/revoke`
    const asked = await (await browser.open(path)).text()
    const response = await browser.open(path, new URLSearchParams({ _csrf: csrfOf(asked) }))
    if (response.status !== 303) throw new Error(`the revocation was answered with ${response.status}`)
  })
}

const csrfOf = (html: string): string => /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

class Browser {
  readonly #cookies = new Map<string, string>()
  readonly #base: string

  constructor(base: string, cookie: string) {
    this.#base = base
    this.#keep(cookie)
  }

  async open(path: string, body?: URLSearchParams): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: this.#base }
    const response = await fetch(new URL(path, this.#base), {
      headers,
      redirect: 'manual',
      ...(body && { method: 'POST', body }),
    })
    for (const each of response.headers.getSetCookie()) this.#keep(each.split(';', 1)[0] ?? '')
    return response
  }

  /** The address of the page that a redirect leads to. */
  async follow(path: string): Promise<string> {
    const response = await this.open(path)
    return response.headers.get('location') ?? ''
  }

  #keep(cookie: string): void {
    const at = cookie.indexOf('=')
    this.#cookies.set(cookie.slice(0, at), cookie.slice(at + 1))
  }
}
