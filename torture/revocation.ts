import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../src/demo/random.ts'
import { randomId } from '../src/lib/ids.ts'
import {
  authorizePath,
  type Client,
  redeem,
  redirectUri,
  refresh,
  type Tokens,
} from '../test/helpers/authorize.ts'
import { Browser } from '../test/helpers/browser.ts'
import { type Answer, answerOf } from '../test/helpers/answers.ts'
import { startNode } from '../test/helpers/nodes.ts'
import { freePort } from '../test/helpers/ports.ts'
import { prepareSite } from './site.ts'
import type { Scenario } from './trial.ts'

/** One round: refresh and revocation of an authorization's tokens at the same time, on two nodes. */
export const revocation: Scenario = {
  name: 'revocation',
  engines: ['sqlite', 'postgres'],
  rounds: 500,
  share: 1,
  async run(trial) {
    const site = await prepareSite(trial.engine, { stores: [1001], apps: 1 })
    const ports = [await freePort(), await freePort()]
    const env = { TILLGATE_BASE_URL: `http://127.0.0.1:${ports[0]}`, TILLGATE_LOG_LEVEL: 'error' }
    const nodes = await Promise.all(ports.map(port => startNode(site.cli, { ...env, PORT: String(port) })))
    try {
      const [client] = site.apps as [Client]
      return await raceRevocations({ ...trial, bases: nodes.map(({ base }) => base), client })
    } finally {
      await Promise.all(nodes.map(node => node.stop()))
      await site.remove()
    }
  },
}

interface Races {
  /** The nodes; the browser uses the first. */
  bases: readonly string[]
  client: Client
  random: Random
  rounds: number
  goesOn(): boolean
}

export async function raceRevocations({ bases, client, random, rounds, goesOn }: Races) {
  const [first = ''] = bases
  const browser = new Browser(first)
  const node = (): string => bases[random.between(0, bases.length - 1)] as string
  const broken: string[] = []
  let [round, refreshed, repeated] = [0, 0, 0]
  for (; round < rounds && goesOn() && broken.length === 0; round++) {
    const issued = [await connect(browser, first, client)]
    // Half of the rounds revoke a token that was rotated just before.
    if (random.between(0, 1) === 1) issued.push(await rotate(node(), client, issued))
    const presented = issued.at(-1)?.refresh_token ?? ''
    const revoked = issued[random.between(0, issued.length - 1)]?.refresh_token ?? ''
    const key = randomId()
    const later = () => sleep(random.between(0, 4))
    const [revocationAnswer, ...answers] = await Promise.all([
      later().then(() => post(node(), '/auth/v2/revoke', { ...client, token: revoked })),
      ...bases.map(base => later().then(() => exchange(base, client, presented, key))),
    ])
    if (revocationAnswer.status !== 200) broken.push(`a revocation was answered ${revocationAnswer.status}`)
    const given = answers.filter(({ status }) => status === 200)
    for (const { status, text } of answers)
      if (status !== 200 && status !== 400) broken.push(`a refresh was answered ${status} ${text}`)
    if (new Set(given.map(({ text }) => text)).size > 1) broken.push('one key gave two pairs of tokens')
    refreshed += Math.min(given.length, 1)
    repeated += Math.max(given.length - 1, 0)
    const known = [...issued, ...given.slice(0, 1).map(({ json }) => json as Tokens)]
    const live = await Promise.all(known.map(tokens => findLive(node(), client, tokens)))
    broken.push(...live.flat())
  }
  return {
    tried: `${round} times two refreshes with one Idempotency-Key and a revocation at the same time, on ${bases.length} nodes`,
    found: `${refreshed} refreshes succeeded, ${repeated} got the same answer again; after the revocation no token was live`,
    broken,
  }
}

const owner = 'owner@example.com'

async function connect(browser: Browser, base: string, client: Client): Promise<Tokens> {
  const consent = await browser.reachConsent(authorizePath(client), owner)
  const answer = await browser.submit(consent, { decision: 'allow', store: '1001' })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code')
  return (await redeem(reach(base), client, code, { redirect_uri: redirectUri })).json
}

async function rotate(base: string, client: Client, issued: readonly Tokens[]): Promise<Tokens> {
  return (await refresh(reach(base), client, issued.at(-1)?.refresh_token ?? '')).json
}

const exchange = (base: string, client: Client, refresh_token: string, key: string): Promise<Answer> =>
  post(base, '/auth/v2/token', { grant_type: 'refresh_token', ...client, refresh_token }, key)

/** What still works of these tokens. */
async function findLive(base: string, client: Client, tokens: Tokens): Promise<string[]> {
  const { access_token, refresh_token } = tokens
  const authorization = `Bearer ${access_token}`
  const [api, ofAccess, ofRefresh, refreshed] = await Promise.all([
    fetch(`${base}/integration/v1/stores`, { headers: { authorization } }).then(answerOf),
    post(base, '/auth/v2/introspect', { ...client, token: access_token }),
    post(base, '/auth/v2/introspect', { ...client, token: refresh_token }),
    refresh(reach(base), client, refresh_token),
  ])
  const results = [api.status, ofAccess.json.active, ofRefresh.json.active, refreshed.status]
  return results.join() === '401,false,false,400'
    ? []
    : [
        `after the revocation: API ${results[0]}, introspection ${results[1]} and ${results[2]}, refresh ${results[3]}`,
      ]
}

const reach = (base: string) => ({
  base,
  post: (path: string, fields: Record<string, string> | URLSearchParams) => post(base, path, fields),
})

async function post(
  base: string,
  path: string,
  fields: Record<string, string> | URLSearchParams,
  key?: string,
): Promise<Answer> {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return answerOf(await fetch(base + path, { method: 'POST', headers, body: new URLSearchParams(fields) }))
}
