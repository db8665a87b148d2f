import { createHash, randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { type Client, type ClientOptions, createClient, TillgateError } from 'tillgate-client'

/** Browser sessions, and the tokens that merchants gave them. A session's id is a secret: only its hash is stored. */

export interface Connections {
  /** Begins an authorization; the merchant's browser must go to `url`. */
  begin(session: string, redirectUri: string): Promise<{ url: string }>
  /** Ends it with the address that the browser came back to. Returns the session that is connected. */
  complete(session: string, callback: URL): Promise<string>
  /** The merchant's client of a connected session. */
  find(session: string): Client | null
  /** Revokes the access at Tillgate and forgets the session. */
  end(session: string): Promise<void>
  forget(session: string): void
}

export const newSession = (): string => randomBytes(32).toString('base64url')

const hash = (session: string): string => createHash('sha256').update(session).digest('base64url')

/** Seconds that a merchant may take to answer. */
const longestConsent = 3600

export function createConnections(db: DatabaseSync, tillgate: ClientOptions): Connections {
  const addPending = db.prepare(
    'insert into pending (session, state, verifier, created_at) values (?, ?, ?, unixepoch())',
  )
  const expire = db.prepare('delete from pending where created_at < unixepoch() - ?')
  // Deleted as it is read: a state works once, and in the browser that began it.
  const takePending = db.prepare('delete from pending where session = ? and state = ? returning verifier')
  const select = db.prepare('select tokens from connections where session = ?')
  const insert = db.prepare('insert into connections (session, tokens) values (?, ?)')
  const update = db.prepare('update connections set tokens = ? where session = ?')
  const remove = db.prepare('delete from connections where session = ?')

  const tokensOf = (session: string) => {
    const row = select.get(hash(session))
    return row ? JSON.parse(String(row['tokens'])) : null
  }

  /** Without a merchant's token the client would ask for one of the app, which reads the stores of every merchant. */
  const merchantClient = (session: string): Client =>
    createClient({
      ...tillgate,
      tokenStore: {
        get() {
          const tokens = tokensOf(session)
          if (tokens) return tokens
          throw new TillgateError('authorization_required', 'the session has ended')
        },
        set: tokens => void update.run(JSON.stringify(tokens), hash(session)),
      },
    })

  const forget = (session: string): void => void remove.run(hash(session))

  return {
    forget,
    async begin(session, redirectUri) {
      const { url, state, codeVerifier } = await createClient(tillgate).authorizationUrl({ redirectUri })
      expire.run(longestConsent)
      addPending.run(hash(session), state, codeVerifier)
      return { url }
    },
    async complete(session, callback) {
      const state = callback.searchParams.get('state') ?? ''
      const pending = takePending.get(hash(session), state)
      if (!pending) throw new TillgateError('state_mismatch', 'this connection did not begin here')
      const tokens = await createClient(tillgate).completeAuthorization(callback, {
        state,
        codeVerifier: String(pending['verifier']),
        redirectUri: callback.origin + callback.pathname,
      })
      forget(session)
      // A new id: somebody may have known the one from before the connection (session fixation).
      const connected = newSession()
      insert.run(hash(connected), JSON.stringify(tokens))
      return connected
    },
    find: session => (tokensOf(session) ? merchantClient(session) : null),
    async end(session) {
      const token = tokensOf(session)?.refreshToken
      if (!token) return forget(session)
      const { baseUrl, clientId: client_id, clientSecret: client_secret = '' } = tillgate
      const body = new URLSearchParams({ token, client_id, client_secret })
      // RFC 7009; revoking the refresh token ends the merchant's authorization.
      const answer = await fetch(new URL('/auth/v2/revoke', baseUrl), { method: 'POST', body })
      if (!answer.ok) throw new Error(`the access could not be revoked: HTTP ${answer.status}`)
      // Only now: after a failure the merchant can try again.
      forget(session)
    },
  }
}
