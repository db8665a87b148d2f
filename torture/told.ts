import { grant } from '../test/helpers/authorize.ts'
import type { Node } from '../test/helpers/nodes.ts'
import { checkBatches, type Client, pushBatch, tokenOf } from '../test/helpers/tills.ts'

/**
 * Clients that remember what the server told them, so that after a crash it can be held to it. What was acknowledged
 * must be so; what was under way when the answer failed may have happened or not, but never in half.
 */

/** One merchant's consent, as its app knows it. */
interface Chain {
  client: Client
  /** The refresh token that was given last, and the access token that came with it; null: to be granted anew. */
  live: { refresh_token: string; access_token: string } | null
  /** A refresh, or a revocation, was sent and not answered. */
  unanswered: 'refresh' | 'revoke' | null
  /** Refresh tokens that were used, and tokens of consents that were revoked. */
  dead: { refresh: string[]; access: string[] }
}

interface Figures {
  batches: number
  tokens: number
  refreshes: number
  revocations: number
  /** Refreshes without an answer: which of them had happened, and which had not. */
  lost_answers: { happened: number; not: number }
}

export interface Crew {
  figures: Figures
  /** Grants what is missing; the server must be up. */
  prepare(node: Node): Promise<void>
  /** Works until `stopped`, or until the server is gone. */
  work(node: Node, stopped: AbortSignal): Promise<void>
  /** Compares the server with what it told; what does not agree. */
  check(node: Node): Promise<string[]>
}

export interface CrewOptions {
  tills: Client
  reader: Client
  /** Apps that the merchant owner@example.com may allow. */
  apps: readonly Client[]
  /** Each run of work is about another of them. */
  stores: readonly number[]
}

const storesPath = '/integration/v1/stores'

export function createCrew({ tills, reader, apps, stores }: CrewOptions): Crew {
  const chains: Chain[] = apps.map(client => ({
    client,
    live: null,
    unanswered: null,
    dead: { refresh: [], access: [] },
  }))
  const figures: Figures = {
    batches: 0,
    tokens: 0,
    refreshes: 0,
    revocations: 0,
    lost_answers: { happened: 0, not: 0 },
  }
  const surprises: string[] = []
  let run = -1
  let acknowledged = new Set<string>()
  let issued: string[] = []
  let revoked: string[] = []
  const store = () => stores[run % stores.length] as number

  /** Repeats a step until told to stop, or until the server no longer answers. */
  async function keepDoing(stopped: AbortSignal, step: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; !stopped.aborted; n++) {
      try {
        await step(n)
      } catch (error) {
        // The server is gone: whoever killed it knows.
        if (error instanceof TypeError) return
        surprises.push(String(error))
        return
      }
    }
  }

  /** 503 is no acknowledgement: the database may be down. Anything else but success is a surprise. */
  function accepted(what: string, status: number, text: string): boolean {
    if (status !== 200 && status !== 503)
      surprises.push(`${what} was answered ${status}: ${text.slice(0, 200)}`)
    return status === 200
  }

  async function refreshOnce(node: Node, chain: Chain): Promise<void> {
    if (chain.live === null || chain.unanswered !== null) return pause()
    const { refresh_token } = chain.live
    chain.unanswered = 'refresh'
    const fields = { grant_type: 'refresh_token', ...chain.client, refresh_token }
    const { status, text, json } = await node.post('/auth/v2/token', fields)
    if (!accepted('a refresh', status, text)) return
    chain.dead.refresh.push(refresh_token)
    chain.live = { refresh_token: json.refresh_token, access_token: json.access_token }
    chain.unanswered = null
    figures.refreshes++
  }

  /** Ends the consent, as an app does that disconnects. */
  async function disconnect(node: Node, chain: Chain): Promise<void> {
    if (chain.live === null || chain.unanswered !== null) return
    chain.unanswered = 'revoke'
    const { status, text } = await node.post('/auth/v2/revoke', {
      ...chain.client,
      token: chain.live.refresh_token,
    })
    if (!accepted('a revocation', status, text)) return
    bury(chain)
    chain.unanswered = null
    figures.revocations++
  }

  function bury(chain: Chain): void {
    if (chain.live === null) return
    chain.dead.refresh.push(chain.live.refresh_token)
    chain.dead.access.push(chain.live.access_token)
    chain.live = null
  }

  /** Null when there is none to be had any more; the database may be away for a while. */
  async function tillsToken(node: Node, stopped: AbortSignal): Promise<string | null> {
    while (!stopped.aborted) {
      const token = await tokenOf(node.base, tills).catch(() => null)
      if (token !== undefined) return token
      await pause()
    }
    return null
  }

  async function throwAwayToken(node: Node): Promise<void> {
    const token = await tokenOf(node.base, reader)
    if (token === undefined) return pause()
    const { status, text } = await node.post('/auth/v2/revoke', { ...reader, token })
    if (!accepted('a revocation of a token', status, text)) return
    revoked.push(token)
    figures.revocations++
  }

  async function isActive(node: Node, client: Client, token: string): Promise<boolean> {
    const { status, json, text } = await node.post('/auth/v2/introspect', { ...client, token })
    if (status !== 200) throw new Error(`introspection was answered ${status}: ${text}`)
    return json.active
  }

  async function checkChain(node: Node, chain: Chain): Promise<string[]> {
    const problems: string[] = []
    const { client, live, unanswered } = chain
    for (const token of chain.dead.refresh.splice(0)) {
      if (await isActive(node, client, token))
        problems.push('a refresh token that was used or revoked works again')
    }
    for (const token of chain.dead.access.splice(0)) {
      if ((await node.get(storesPath, token)).status !== 401)
        problems.push('a revoked consent’s token works again')
    }
    if (live === null) return problems
    const active = await isActive(node, client, live.refresh_token)
    chain.unanswered = null
    if (unanswered === null) {
      if (!active) problems.push('a refresh token that was given out is unknown')
      if ((await node.get(storesPath, live.access_token)).status !== 200) {
        problems.push('an access token that was given out with a refresh token is refused')
      }
      return problems
    }
    figures.lost_answers[active ? 'not' : 'happened']++
    if (
      unanswered === 'revoke' &&
      (await node.get(storesPath, live.access_token)).status !== (active ? 200 : 401)
    ) {
      problems.push('a revocation without an answer happened in half')
    }
    if (active) return problems
    if (unanswered === 'revoke') bury(chain)
    // Its successor is known to nobody: the merchant must be asked again. The access token lives on.
    else chain.dead.refresh.push(live.refresh_token)
    chain.live = null
    return problems
  }

  return {
    figures,
    async prepare(node) {
      for (const chain of chains) {
        if (chain.live === null) chain.live = await grant(node, chain.client, { stores: [String(stores[0])] })
      }
    },
    async work(node, stopped) {
      run++
      acknowledged = new Set()
      issued = []
      revoked = []
      const [first] = chains
      const bearer = await tillsToken(node, stopped)
      if (bearer === null) return
      await Promise.all([
        ...[1, 2, 3].map(till =>
          keepDoing(stopped, async n => {
            const name = `${run}.${till}.${n}`
            const response = await pushBatch(node.base, bearer, name, store())
            const text = await response.text()
            if (!accepted('a batch', response.status, text)) return pause()
            acknowledged.add(name)
            figures.batches++
          }),
        ),
        keepDoing(stopped, async () => {
          const token = await tokenOf(node.base, reader)
          if (token === undefined) return pause()
          issued.push(token)
          figures.tokens++
        }),
        ...chains.map(chain => keepDoing(stopped, () => refreshOnce(node, chain))),
        keepDoing(stopped, async n => {
          await throwAwayToken(node)
          if (n === 3 && first) await disconnect(node, first)
        }),
      ])
    },
    async check(node) {
      const problems = surprises.splice(0)
      try {
        const token = await tokenOf(node.base, reader)
        await checkBatches(node.base, token, acknowledged, store())
        for (const token of issued.slice(-20)) {
          if ((await node.get(storesPath, token)).status !== 200) problems.push('an issued token is refused')
        }
        for (const token of revoked) {
          if ((await node.get(storesPath, token)).status !== 401) problems.push('a revoked token works again')
        }
        for (const chain of chains) problems.push(...(await checkChain(node, chain)))
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error))
      }
      return problems
    },
  }
}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 5))
