import { generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { accessTokenLifetime } from '../contract/lifetimes.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId, randomSecret } from '../lib/ids.ts'
import type { Key, Storage } from '../storage/port/index.ts'
import { auditEntry, type By } from './audit/audit.ts'

const day = 86_400
/** Seconds before a new cookie key signs, so that every node has read it (console/sign-in/cookie-signer.ts). */
const activationDelay = 60
// The lifetime of a token; one more day covers nodes that read the keys late and clocks that differ.
const keepRetired = accessTokenLifetime + day

export type Keys = ReturnType<typeof createKeys>

/** The server's own keys: created on first use, and stored in the database so that every node has the same. */
export function createKeys({ storage, clock }: { storage: Pick<Storage, 'keys'>; clock: Clock }) {
  /** All keys of a use. When nodes start together, the database accepts one first key and all nodes read that one. */
  async function list(use: Key['use'], make: (now: number) => Promise<Key>): Promise<Key[]> {
    const existing = await storage.keys.list(use)
    if (existing.length > 0) return existing
    await storage.keys.addFirst(await make(clock.now()))
    return storage.keys.list(use)
  }

  const read = () => Promise.all([list('sign', newSigningKey), list('cookie', newCookieKey)])
  /** The keys as last read. */
  let known: { state: string; keys: [Key[], Key[]] } | null = null

  /** Checked here, because a retired key is deleted only at the next rotation. */
  const stillVerifies = ({ retired_at }: Key) => retired_at === null || retired_at + keepRetired > clock.now()

  const signingOf = (keys: readonly Key[]): Key[] => activeFirst(keys.filter(stillVerifies))

  function cookieOf(all: readonly Key[]): string[] {
    const keys = activeFirst(all.filter(stillVerifies))
    const signs = keys.find(({ created_at }) => created_at + activationDelay <= clock.now()) ?? keys.at(-1)
    return [...keys.filter(key => key === signs), ...keys.filter(key => key !== signs)].map(key => key.secret)
  }

  const inOrder = ([signing, cookie]: [Key[], Key[]]) => ({
    signing: signingOf(signing),
    cookie: cookieOf(cookie),
  })

  return {
    /** The key that signs, then the keys that only verify, newest first. */
    signing: async (): Promise<Key[]> => signingOf(await list('sign', newSigningKey)),

    /** The secrets of cookies: the one that signs, then those that only verify. */
    cookie: async (): Promise<string[]> => cookieOf(await list('cookie', newCookieKey)),

    /** Both; they are read again only when `state`, which comes with a client's facts, has changed. */
    async all(state?: string): Promise<{ signing: Key[]; cookie: string[] }> {
      if (state === undefined) return inOrder(await read())
      if (state !== known?.state) known = { state, keys: await read() }
      return inOrder(known.keys)
    },

    /**
     * New tokens are signed with a new key at once, cookies after the activation delay. Older signatures stay valid until
     * they expire; `abandon` ends them at once, for a leaked key. Sessions are not signed, and continue.
     */
    async rotate(by: By, { abandon = false } = {}): Promise<Key> {
      const now = clock.now()
      const key = await newSigningKey(now)
      const remove_before = abandon ? now + 1 : now - keepRetired
      const entry = auditEntry(clock, by, 'keys_rotated', {
        detail: abandon ? 'all older keys abandoned' : null,
      })
      await storage.keys.rotate([key, await newCookieKey(now)], remove_before, entry)
      return key
    },
  }
}

/** By state, because two keys can have the same second of creation. */
const activeFirst = (keys: readonly Key[]): Key[] => [
  ...keys.filter(key => key.retired_at === null),
  ...keys.filter(key => key.retired_at !== null),
]

async function newSigningKey(created_at: number): Promise<Key> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' })
  // RFC 7638: the kid is a hash of the key, so no two keys share one.
  const kid = await calculateJwkThumbprint(jwk)
  const secret = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' })
  return { id: kid, use: 'sign', secret, created_at, retired_at: null }
}

async function newCookieKey(created_at: number): Promise<Key> {
  return { id: randomId(), use: 'cookie', secret: randomSecret(), created_at, retired_at: null }
}
