import type { Writable } from 'node:stream'
import { authorizePath, type Client, redeem, redirectUri, refresh } from '../../test/helpers/authorize.ts'
import { answerOf, password } from '../../test/helpers/answers.ts'
import { Browser } from '../../test/helpers/browser.ts'
import { owner } from '../../src/demo/records.ts'
import type { Rows } from '../bench.ts'
import { withServer } from '../client.ts'
import { usual } from '../data.ts'
import { finished, tillgate } from '../process.ts'
import { perSecond, type Row } from '../row.ts'

const atOnce = 8

/** Codes that merchants gave, exchanged for tokens, and these refreshed: each is written to the disk before its answer. */
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
  yield* await withServer(env, async ({ base, peak }) => {
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
    const exchanged = await timed(codes, async code => {
      const { status, json, text } = await redeem(server, client, code)
      if (status !== 200) throw new Error(text)
      tokens.push(json.refresh_token)
    })
    const refreshed = await timed(tokens, async token => {
      const { status, text } = await refresh(server, client, token)
      if (status !== 200) throw new Error(text)
    })
    return [
      row('code-exchange', 'code exchange, durable', exchanged, peak()),
      row('refresh', 'refresh, durable', refreshed, peak()),
    ]
  })
}

/** Works the list off, some at a time; how many a second. */
async function timed<T>(list: readonly T[], work: (entry: T) => Promise<void>): Promise<number> {
  const queue = [...list]
  const began = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) await work(entry)
    }),
  )
  return list.length / ((performance.now() - began) / 1000)
}

const row = (id: string, name: string, rate: number, memory_mb: number | null): Row => ({
  ...{ id, name, memory_mb, ratio: 1, aim: null },
  figure: perSecond(rate, 'requests'),
  limit: `itself, ${atOnce} at a time`,
  measured: { rate },
})
