import { type Answer, answerOf, password } from './answers.ts'

interface Cookie {
  name: string
  value: string
  path: string
}

/** As much of a browser as the sign-in and consent pages need: cookies with paths, forms, redirects one at a time. */
export class Browser {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly cookies: Cookie[] = []

  /** `headers`: sent with every request. */
  constructor(base: string, headers: Record<string, string> = {}) {
    this.#base = base
    this.#headers = headers
  }

  async open(url: string, init: RequestInit = {}): Promise<Answer> {
    const target = new URL(url, this.#base)
    const cookie = this.cookies
      .filter(({ path }) => target.pathname === path || target.pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const response = await fetch(target, {
      ...init,
      redirect: 'manual',
      headers: { ...this.#headers, cookie, ...init.headers },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return answerOf(response)
  }

  /** Follows redirects as long as they stay on the server; answers the last page, or the redirect that leads away. */
  async follow(answer: Answer): Promise<Answer> {
    const location = answer.headers.get('location')
    if (location === null || new URL(location, this.#base).origin !== this.#base) return answer
    return this.follow(await this.open(location))
  }

  /** Sends the page's form with these fields added, and follows where it leads. */
  async submit(page: Answer, fields: Record<string, string | string[]>): Promise<Answer> {
    // Signing out is offered on every page, behind the form that the page is about.
    const [, action, body = ''] = /<form method="post" action="([^"]+)"(.*?)<\/form>/s.exec(page.text) ?? []
    if (action === undefined) throw new Error(`no form on the page: ${page.status} ${page.text}`)
    const form = new URLSearchParams()
    for (const [, name, value] of body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
      form.append(name ?? '', value ?? '')
    }
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) form.append(name, value)
    }
    return this.follow(await this.open(action, { method: 'POST', body: form }))
  }

  async signIn(email: string, secret = password): Promise<Answer> {
    return this.submit(await this.open('/login'), { email, password: secret })
  }

  /** Opens an authorize address, signs in when asked, and answers the consent page. */
  async reachConsent(authorizeUrl: string, email: string): Promise<Answer> {
    const page = await this.follow(await this.open(authorizeUrl))
    return page.text.includes('name="password"') ? this.submit(page, { email, password }) : page
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const name = pair.slice(0, pair.indexOf('='))
    const path = attributes.find(a => a.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
    const known = this.cookies.findIndex(cookie => cookie.name === name && cookie.path === path)
    if (known >= 0) this.cookies.splice(known, 1)
    const expired = attributes.some(a => /^(expires=Thu, 01 Jan 1970|max-age=0)/i.test(a))
    if (!expired) this.cookies.push({ name, value: pair.slice(pair.indexOf('=') + 1), path })
  }
}
