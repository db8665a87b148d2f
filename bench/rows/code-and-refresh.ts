import type { Writable } from 'node:stream'
import { authorizePath, type Client, redeem, redirectUri, refresh } from '../../test/helpers/authorize.ts'
import { answerOf, password } from '../../test/helpers/answers.ts'
import { Browser } from '../../test/helpers/browser.ts'
import { owner } from '../../src/demo/records.ts'
import type { Rows } from '../bench.ts'
import { withServer } from '../load/client.ts'
import { usual } from '../data.ts'
import type { Load } from '../load/load.ts'
import { finished, startServer, tillgate } from '../process.ts'
import { loadText, median, type Row } from '../row.ts'
import { timed } from '../load/timed.ts'

const atOnce = 8
const parts = 5

/** Exchanges codes for tokens and refreshes them; each exchange is durable before its answer. */
export const codeAndRefresh: Rows = async function* (bench) {
  const { env } = await bench.data(usual(bench.orders))
  const account = tillgate(
    ['account', 'create', '--email', owner, '--role', 'merchant', '--password-stdin', '--json'],
    env,
    'pipe',
  )
  ;(account.child.stdin as Writable).end(`${password}\n`)
  await finished(account)
  const app = [
    'app',
    'create',
    '--name',
    'Connected',
    '--scope',
    'integration.store',
    '--redirect-uri',
    redirectUri,
    '--json',
  ]
  const client = JSON.parse(await finished(tillgate(app, env))) as Client
  yield* await withServer(env, async ({ base, pids, peak }) => {
    const server = {
      base,
      post: async (path: string, form: Record<string, string> | URLSearchParams) =>
        answerOf(await fetch(base + path, { method: 'POST', body: new URLSearchParams(form) })),
    }
    const codes: string[] = []
    const browser = new Browser(base)
    for (let i = 0; i < (bench.quick ? 40 : 200); i++) {
      const consent = await browser.reachConsent(authorizePath(client), owner)
      const answer = await browser.submit(consent, { decision: 'allow', store: ['1001'] })
      codes.push(new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '')
    }
    const tokens: string[] = []
    const exchanged = await besideBare(codes, pids, async code => {
      const { status, json, text } = await redeem(server, client, code)
      if (status !== 200) throw new Error(text)
      tokens.push(json.refresh_token)
      return text.length
    })
    const refreshed = await besideBare(tokens, pids, async token => {
      const { status, text } = await refresh(server, client, token)
      if (status !== 200) throw new Error(text)
      return text.length
    })
    return [
      { id: 'code-exchange', name: 'code exchange, durable', memory_mb: peak(), ...exchanged },
      { id: 'refresh', name: 'refresh, durable', memory_mb: peak(), ...refreshed },
    ]
  })
}

/**
 * Each entry makes one request, which cannot be repeated. So the list is processed in parts, alternating with a bare
 * server that sends the same number of bytes to the same client.
 */
async function besideBare(
  list: readonly string[],
  pids: readonly number[],
  work: (entry: string) => Promise<number>,
): Promise<Pick<Row, 'figure' | 'limit' | 'ratio' | 'aim' | 'measured'>> {
  const [first = '', ...others] = list
  const bare = await startServer('./bare/http.ts', [String(await work(first))])
  const ask = async (): Promise<number> => {
    const response = await fetch(bare.base, { method: 'POST', body: 'x' })
    return (await response.text()).length
  }
  try {
    const turns: { ours: Load; limit: Load }[] = []
    const size = Math.ceil(others.length / parts)
    for (let at = 0; at < others.length; at += size) {
      const part = others.slice(at, at + size)
      const limit = await timed(part, { at_once: atOnce, pids: [bare.pid] }, ask)
      turns.push({ limit, ours: await timed(part, { at_once: atOnce, pids }, work) })
    }
    const ratio = median(turns.map(({ ours, limit }) => ours.rate / limit.rate))
    const turn = turns.find(({ ours, limit }) => ours.rate / limit.rate === ratio) as (typeof turns)[number]
    return {
      ratio,
      aim: null,
      measured: { turns },
      figure: loadText(turn.ours),
      limit: `${loadText(turn.limit)} by bare node:http; both by fetch, ${atOnce} at a time`,
    }
  } finally {
    bare.stop()
  }
}
