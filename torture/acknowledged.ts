import { grant } from '../test/helpers/authorize.ts'
import type { Node } from '../test/helpers/nodes.ts'
import { checkBatches, type Client, pushBatch, tokenOf } from '../test/helpers/tills.ts'

/**
 * Clients that remember what the server acknowledged and check it after a crash. An acknowledged change must be there; a
 * change whose answer was lost is there whole or not at all.
 */

/** The tokens of one merchant's consent, as its app knows them. */
interface Chain {
  client: Client
  /** The newest refresh token and its access token; null when the merchant must grant consent again. */
  live: { refresh_token: string; access_token: string } | null
  /** A refresh or a revocation that the app sent and that was not answered. */
  unanswered: 'refresh' | 'revoke' | null
  /** Consumed refresh tokens, and the tokens of revoked consents. */
  dead: { refresh: string[]; access: string[] }
}

interface Figures {
  batches: number
  tokens: number
  refreshes: number
  revocations: number
  /** Refreshes without an answer: those that took effect, and those that did not. */
  lost_answers: { happened: number; not: number }
}

export interface Clients {
  figures: Figures
  /** Grants the consents that are missing; the server must be up. */
  prepare(node: Node): Promise<void>
  /** Sends requests until `stopped`, or until the server is gone. */
  work(node: Node, stopped: AbortSignal): Promise<void>
  /** Compares the server with what it acknowledged; returns the differences. */
  check(node: Node): Promise<string[]>
}

export interface ClientsOptions {
  tills: Client
  reader: Client
  /** Apps that the merchant owner@example.com grants consent to. */
  apps: readonly Client[]
  /** Each run uses another one. */
  stores: readonly number[]
}

const storesPath = '/integration/v1/stores'

export function createClients({ tills, reader, apps, stores }: ClientsOptions): Clients {
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
  const unexpected: string[] = []
  let run = -1
  let acknowledged = new Set<string>()
  let issued: string[] = []
  let revoked: string[] = []
  const store = () => stores[run % stores.length] as number

  /** Repeats a step until `stopped`, or until the server no longer answers. */
  async function repeat(stopped: AbortSignal, step: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; !stopped.aborted; n++) {
      try {
        await step(n)
      } catch (error) {
        // fetch throws a TypeError when the connection fails: the scenario has killed the server.
        if (error instanceof TypeError) return
        unexpected.push(String(error))
        return
      }
    }
  }

  /** 503 acknowledges nothing: the database may be down. Any other status but 200 is a problem. */
  function accepted(what: string, status: number, text: string): boolean {
    if (status !== 200 && status !== 503)
      unexpected.push(`${what} was answered ${status}: ${text.slice(0, 200)}`)
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

  /** Revokes the consent, as an app does when its user disconnects it. */
  async function disconnect(node: Node, chain: Chain): Promise<void> {
    if (chain.live === null || chain.unanswered !== null) return
    chain.unanswered = 'revoke'
    const { status, text } = await node.post('/auth/v2/revoke', {
      ...chain.client,
      token: chain.live.refresh_token,
    })
    if (!accepted('a revocation', status, text)) return
    markRevoked(chain)
    chain.unanswered = null
    figures.revocations++
  }

  function markRevoked(chain: Chain): void {
    if (chain.live === null) return
    chain.dead.refresh.push(chain.live.refresh_token)
    chain.dead.access.push(chain.live.access_token)
    chain.live = null
  }

  /** Retries while the database is down; null once `stopped`. */
  async function tillsToken(node: Node, stopped: AbortSignal): Promise<string | null> {
    while (!stopped.aborted) {
      const token = await tokenOf(node.base, tills).catch(() => null)
      if (token !== undefined) return token
      await pause()
    }
    return null
  }

  async function revokeNewToken(node: Node): Promise<void> {
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
        problems.push('a consumed or revoked refresh token works again')
    }
    for (const token of chain.dead.access.splice(0)) {
      if ((await node.get(storesPath, token)).status !== 401)
        problems.push('a revoked consent’s token works again')
    }
    if (live === null) return problems
    const active = await isActive(node, client, live.refresh_token)
    chain.unanswered = null
    if (unanswered === null) {
      if (!active) problems.push('an issued refresh token is unknown')
      if ((await node.get(storesPath, live.access_token)).status !== 200) {
        problems.push('an access token issued with a refresh token is refused')
      }
      return problems
    }
    figures.lost_answers[active ? 'not' : 'happened']++
    if (
      unanswered === 'revoke' &&
      (await node.get(storesPath, live.access_token)).status !== (active ? 200 : 401)
    ) {
      problems.push('a revocation without an answer took effect in part')
    }
    if (active) return problems
    if (unanswered === 'revoke') markRevoked(chain)
    // The answer with the next refresh token was lost: the merchant must grant again. The access token stays valid.
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
          repeat(stopped, async n => {
            const name = `${run}.${till}.${n}`
            const response = await pushBatch(node.base, bearer, name, store())
            const text = await response.text()
            if (!accepted('a batch', response.status, text)) return pause()
            acknowledged.add(name)
            figures.batches++
          }),
        ),
        repeat(stopped, async () => {
          const token = await tokenOf(node.base, reader)
          if (token === undefined) return pause()
          issued.push(token)
          figures.tokens++
        }),
        ...chains.map(chain => repeat(stopped, () => refreshOnce(node, chain))),
        repeat(stopped, async n => {
          await revokeNewToken(node)
          if (n === 3 && first) await disconnect(node, first)
        }),
      ])
    },
    async check(node) {
      const problems = unexpected.splice(0)
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
