import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createRandom, type Random } from '../../src/demo/random.ts'
import {
  apply,
  ask,
  type Asked,
  askReceipts,
  type Copy,
  emptyCopy,
  keyOf,
  type Kind,
  mayRetry,
  parse,
  receiptsOf,
  type Source,
  startAgain,
  Violation,
} from './follower.ts'
import { batchOf, lastBatch, lastId, storeLine, type Write, windows } from './records.ts'
import { checkCopy, storedRows } from './stored.ts'

/** The nodes of one database; some may be down, but never all for long. */
export interface Place {
  bases: readonly string[]
  bearer: { tills: string; reader: string }
  database: string
  /** Aborted when another history has failed. */
  stopped: AbortSignal
  /** Lets the reader read these stores. */
  link(store_ids: readonly number[]): Promise<void>
}

export interface Figures {
  batches: number
  requests: number
  entries: number
  /** Walks from `after=0` after the client widened its kinds. */
  walks: number
  /** Requests without an answer. */
  failed: number
}

interface Shape {
  writers: number
  batches: number
  followers: number
}

const allKinds: readonly (readonly Kind[] | null)[] = [null, ['order', 'item'], ['order'], ['item']]

/** Milliseconds within which a request that waits sees a change, also on a busy machine. */
const wakeLimit = 25_000

/** Milliseconds before a client tries again. Doubled up to the last: all clients at once would slow down the start of a node. */
const pauses = { first: 50, last: 800 }
const longer = (pause: number): number => Math.min(2 * pause, pauses.last)

/**
 * One history: writers on all nodes, which also create the stores at the same time, and clients that stop and go on
 * anywhere. Throws unless each client ends with exactly what the database holds.
 */
export async function playHistory(
  random: Random,
  place: Place,
  store_ids: readonly number[],
  { writers, batches, followers }: Shape,
): Promise<Figures> {
  const figures: Figures = { batches: 0, requests: 0, entries: 0, walks: 0, failed: 0 }
  const failed = new AbortController()
  const stopped = AbortSignal.any([failed.signal, place.stopped])
  const fork = () => createRandom(random.between(0, 2 ** 31), 0)
  const written: Write[] = []
  /** When the last write of a store was acknowledged. */
  const ended = new Map<number, number>()
  const pick = (from: Random): string => from.pick(place.bases)

  /** Sends until it is acknowledged: without an answer it may be stored already. */
  async function push(from: Random, writes: readonly Write[], stores: readonly number[] = []): Promise<void> {
    const body = [...stores.map(storeLine), ...writes.map(({ line }) => line)].join('\n')
    for (let pause = pauses.first; ; pause = longer(pause)) {
      const answer = await attempt(() =>
        fetch(`${pick(from)}/platform/v1/records`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${place.bearer.tills}`,
            'content-type': 'application/x-ndjson',
          },
          body,
        }),
      )
      const text = await answer?.text().catch(() => null)
      if (answer?.status === 200 && text) break
      if (answer && text && !mayRetry(answer.status))
        throw new Violation(`a batch was answered ${answer.status}: ${text}`)
      await sleep(pause)
    }
    written.push(...writes)
    figures.batches++
  }

  /** Null without an answer. */
  async function attempt<T>(request: () => Promise<T>): Promise<T | null> {
    figures.requests++
    stopped.throwIfAborted()
    try {
      return await request()
    } catch (error) {
      if (error instanceof Violation) throw error
      figures.failed++
      return null
    }
  }

  async function write(from: Random): Promise<void> {
    for (let n = 0; n < batches; n++) {
      const batch = batchOf(from, store_ids, n)
      await push(from, batch)
      if (from.chance(0.1)) await push(from, batch)
    }
  }

  /** Follows a store until it has seen the store's last write. */
  async function follow(from: Random, store_id: number): Promise<Copy> {
    let copy = emptyCopy()
    let covered: readonly Kind[] = []
    let asked: Asked = { count: 100, kinds: null, wait: 0 }
    let pause = pauses.first
    const source = (): Source => ({ base: pick(from), bearer: place.bearer.reader, store_id })
    const kindsOf = ({ kinds }: Asked): readonly Kind[] => kinds ?? ['order', 'item']

    async function step(): Promise<void> {
      // A client that dies while it reads.
      const dies = from.chance(0.1) ? AbortSignal.timeout(from.between(1, 40)) : undefined
      const began = performance.now()
      const page = await attempt(() => ask(source(), copy, asked, dies))
      if (page === null) {
        await sleep(pause)
        pause = longer(pause)
        return
      }
      pause = pauses.first
      const widens = copy.feed !== null && kindsOf(asked).some(kind => !covered.includes(kind))
      if ((page === 'feed_changed') !== widens)
        throw new Violation(
          widens ? 'no 409 for a kind that the feed lacks' : `409 without a cause: ${asked.kinds}`,
        )
      if (page === 'feed_changed') {
        startAgain(copy)
        figures.walks++
        return
      }
      // From when both the change and the request were there.
      const late = performance.now() - Math.max(began, ended.get(store_id) ?? Number.POSITIVE_INFINITY)
      if (late > wakeLimit && page.changes.some(({ id }) => String(id) === lastId.order))
        throw new Violation(`a waiting request saw the last change ${late} ms late`)
      // Or before it has stored the page.
      if (from.chance(0.1)) return
      const stored = structuredClone(copy)
      apply(stored, page, asked)
      copy = stored
      covered = page.kinds
      figures.entries += page.changes.length
      if (from.chance(0.02)) await checkPast(copy, store_id, covered)
    }

    const hasLast = () =>
      copy.complete && Object.entries(lastId).some(([kind, id]) => copy.rows.has(keyOf(kind as Kind, id)))
    while (!hasLast()) {
      asked = {
        count: from.pick([from.between(1, 9), 100, 127, 128, 129, 500, 2000]),
        kinds: from.chance(0.1) ? from.pick(allKinds) : asked.kinds,
        wait: from.pick([0, 0, 1, 30]),
      }
      await step()
      if (from.chance(0.2)) await sleep(from.between(0, 30))
    }
    asked = { count: 2000, kinds: null, wait: 0 }
    let end: number | null = null
    while (end === null || copy.next < end || !copy.complete || covered.length !== 2) {
      await step()
      end ??= await newestSeq(source())
    }
    return copy
  }

  /** Nothing may appear behind what a client has seen. */
  async function checkPast(copy: Copy, store_id: number, kinds: readonly Kind[]): Promise<void> {
    const rows = await storedRows(place.database, store_id).catch(() => null)
    for (const { kind, id, seq } of rows ?? []) {
      const known = copy.rows.get(keyOf(kind, id))
      if (seq <= copy.next && kinds.includes(kind) && (known?.walk !== copy.walk || known.seq !== seq))
        throw new Violation(`${kind} ${id} has seq ${seq}, behind ${copy.next}, and was not in the changes`)
    }
  }

  async function newestSeq({ base, bearer, store_id }: Source): Promise<number | null> {
    const headers = { authorization: `Bearer ${bearer}` }
    const answer = await attempt(() =>
      fetch(`${base}/integration/v1/changes/heads?count=100000`, { headers }),
    )
    const text = answer?.status === 200 ? await answer.text().catch(() => null) : null
    if (!text) return null
    const { data } = parse(text) as { data: { store_id: number; seq: number }[] }
    return data.find(head => head.store_id === store_id)?.seq ?? null
  }

  async function play(): Promise<void> {
    // All writers begin with the stores: of batches that create one at the same time, each gets its own numbers.
    const forks = Array.from({ length: writers }, fork)
    await Promise.all(forks.map(from => push(from, batchOf(from, store_ids, 0), store_ids)))
    await place.link(store_ids)
    const followed = Array.from({ length: followers }, () => store_ids).flat()
    const following = followed.map(async store_id => ({ store_id, copy: await follow(fork(), store_id) }))
    const writing = async () => {
      await Promise.all(forks.map(write))
      await Promise.all(
        store_ids.map(async id => {
          await push(fork(), lastBatch(random, id))
          ended.set(id, performance.now())
        }),
      )
    }
    await Promise.all([writing(), ...following])
    for (const { store_id, copy } of await Promise.all(following)) await compare(copy, store_id)
  }

  /** The copy is what the database holds, and its receipts are those of the server. */
  async function compare(copy: Copy, store_id: number): Promise<void> {
    let rows = null
    while (rows === null) {
      // The database may be starting.
      rows = await storedRows(place.database, store_id).catch(() => sleep(50, null))
      stopped.throwIfAborted()
    }
    checkCopy(copy, rows)
    const updatedAt = new Map(rows.map(({ kind, id, updated_at }) => [keyOf(kind, id), updated_at]))
    for (const { kind, id, updated_at, ...write } of written) {
      const sent = Date.parse(`${updated_at.replace(' ', 'T')}Z`) / 1000
      if (write.store_id === store_id && (updatedAt.get(keyOf(kind, id)) ?? 0) < sent)
        throw new Violation(`${kind} ${id} of ${updated_at} was acknowledged and is not there`)
    }
    for (const [first, last] of windows) {
      const source = { base: pick(random), bearer: place.bearer.reader, store_id }
      const receipts = await attempt(() => askReceipts(source, first, last))
      if (receipts === null) continue
      const own = receiptsOf(copy, first, last)
      if (receipts.seq !== copy.next || receipts.feed !== copy.feed)
        throw new Violation('the receipts are of another moment')
      if (!isDeepStrictEqual({ days: receipts.days, items: receipts.items }, own))
        throw new Violation(`the receipts of ${first} differ: ${JSON.stringify({ receipts, own })}`)
    }
  }
  try {
    await play()
  } catch (error) {
    failed.abort(error)
    throw error
  }
  return figures
}
