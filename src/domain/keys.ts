import { generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { accessTokenLifetime } from '../contract/lifetimes.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId, randomSecret } from '../lib/ids.ts'
import type { Key, Storage } from '../storage/port/index.ts'
import { auditEntry, type By } from './audit/audit.ts'

const day = 86_400
/** A new cookie key signs when every node has had the time to read it (console/sign-in/cookie-signer.ts). */
const settling = 60
// As long as any token lives; a day more covers nodes that read the keys late and clocks that differ.
const keepRetired = accessTokenLifetime + day

export type Keys = ReturnType<typeof createKeys>

/** The server's own keys: made on first use, kept in the database so that every node has the same. */
export function createKeys({ storage, clock }: { storage: Pick<Storage, 'keys'>; clock: Clock }) {
  /** All keys of a use. Nodes that start together each offer a first key; one is taken, and all read that one. */
  async function list(use: Key['use'], make: (now: number) => Promise<Key>): Promise<Key[]> {
    const existing = await storage.keys.list(use)
    if (existing.length > 0) return existing
    await storage.keys.addFirst(await make(clock.now()))
    return storage.keys.list(use)
  }

  const read = () => Promise.all([list('sign', newSigningKey), list('cookie', newCookieKey)])
  /** As they were last read. */
  let known: { state: string; keys: [Key[], Key[]] } | null = null

  /** Held to it here, since a retired key is deleted only when the next one is made. */
  const stillVerifies = ({ retired_at }: Key) => retired_at === null || retired_at + keepRetired > clock.now()

  const signingOf = (keys: readonly Key[]): Key[] => activeFirst(keys.filter(stillVerifies))

  function cookieOf(all: readonly Key[]): string[] {
    const keys = activeFirst(all.filter(stillVerifies))
    const signs = keys.find(({ created_at }) => created_at + settling <= clock.now()) ?? keys.at(-1)
    return [...keys.filter(key => key === signs), ...keys.filter(key => key !== signs)].map(key => key.secret)
  }

  const inOrder = ([signing, cookie]: [Key[], Key[]]) => ({
    signing: signingOf(signing),
    cookie: cookieOf(cookie),
  })

  return {
    /** The key that signs, then those that only verify, newest first. */
    signing: async (): Promise<Key[]> => signingOf(await list('sign', newSigningKey)),

    /** Secrets of cookies: the one that signs, then those that only verify. */
    cookie: async (): Promise<string[]> => cookieOf(await list('cookie', newCookieKey)),

    /** Both; they are read again only when `state`, from a client's facts, is another than before. */
    async all(state?: string): Promise<{ signing: Key[]; cookie: string[] }> {
      if (state === undefined) return inOrder(await read())
      if (state !== known?.state) known = { state, keys: await read() }
      return inOrder(known.keys)
    },

    /**
     * Signs with a new key from now on, cookies soon. What older keys signed stays good until it expires; `abandon` ends
     * all of it at once, for a key that has leaked. Sessions are not signed, and go on.
     */
    async rotate(by: By, { abandon = false } = {}): Promise<Key> {
      const now = clock.now()
      const key = await newSigningKey(now)
      const remove_before = abandon ? now + 1 : now - keepRetired
      const told = auditEntry(clock, by, 'keys_rotated', { detail: abandon ? 'all before abandoned' : null })
      await storage.keys.rotate([key, await newCookieKey(now)], remove_before, told)
      return key
    },
  }
}

/** Not by age alone: two may be of one second. */
const activeFirst = (keys: readonly Key[]): Key[] => [
  ...keys.filter(key => key.retired_at === null),
  ...keys.filter(key => key.retired_at !== null),
]

async function newSigningKey(created_at: number): Promise<Key> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' })
  // RFC 7638: the name follows from the key, so two keys never share one.
  const kid = await calculateJwkThumbprint(jwk)
  const secret = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' })
  return { id: kid, use: 'sign', secret, created_at, retired_at: null }
}

async function newCookieKey(created_at: number): Promise<Key> {
  return { id: randomId(), use: 'cookie', secret: randomSecret(), created_at, retired_at: null }
}
