import { closeSync, createReadStream, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { parseExact, stringifyExact } from '../exact-json.ts'
import type { ChangeKind, Int64, Store } from '../types.ts'
import { type Copy, type Position, positionAfter } from './copy.ts'

/**
 * A copy as lines of JSON, only ever appended. A page is one write that ends with its position, so lines behind the last
 * position are of a page that was cut off: they are removed when the file is opened again.
 */

type Line =
  | { kind: 'store'; store_id: Int64; data: Store }
  | { kind: 'removed'; store_id: Int64 }
  | { kind: ChangeKind; store_id: Int64; id: Int64 | string; seq: number; data: unknown }
  /** A walk above that of the line before: everything of the store up to here is void. */
  | ({ kind: 'position'; store_id: Int64 } & Omit<Position, 'kinds'> & Partial<Pick<Position, 'kinds'>>)

interface State {
  position: Position
  isRemoved: boolean
  orders: Set<string>
  items: Set<string>
}

const kinds = ['store', 'removed', 'order', 'item', 'position']

const changeKinds: readonly ChangeKind[] = ['order', 'item']
const entriesOf = ({ orders, items }: State, kind: ChangeKind): Set<string> =>
  kind === 'order' ? orders : items

const lineOf = (line: Line): string => `${stringifyExact(line)}\n`

/** The list of stores is the first write, so every copy begins with this. */
const firstBytes = Buffer.from('{"kind":"store","store_id":')

const start: Position = { feed: null, next: 0, walk: 0, complete: false, kinds: [] }

export async function openNdjson(file: string): Promise<Copy> {
  const states = new Map<bigint, State>()
  const stateOf = (store_id: Int64): State => {
    const state = states.get(BigInt(store_id)) ?? {
      position: start,
      isRemoved: false,
      orders: new Set(),
      items: new Set(),
    }
    states.set(BigInt(store_id), state)
    return state
  }

  const entered = (store_id: Int64, kind: ChangeKind, id: string): void =>
    void entriesOf(stateOf(store_id), kind).add(id)

  function learn(line: Line): void {
    const state = stateOf(line.store_id)
    if (line.kind === 'store') state.isRemoved = false
    else if (line.kind === 'removed') state.isRemoved = true
    else if (line.kind === 'position') {
      const { feed, next, walk, complete } = line
      // Lines of older versions do not say it.
      const kinds = line.kinds ?? changeKinds.filter(kind => entriesOf(state, kind).size > 0)
      if (walk > state.position.walk) {
        state.orders.clear()
        state.items.clear()
      }
      state.position = { feed, next, walk, complete, kinds }
    } else entered(line.store_id, line.kind, String(line.id))
  }

  const output = openSync(file, 'a')
  try {
    ftruncateSync(output, await readLines(file, learn))
  } catch (error) {
    closeSync(output)
    throw error
  }

  let size = fstatSync(output).size
  /** Why a write stopped midway: its bytes are no other process's, and nothing may follow them. */
  let failure: Error | null = null
  function append(text: string): void {
    if (failure !== null) throw failure
    // Two processes would read everything twice, and mix their pages.
    if (fstatSync(output).size !== size) throw new Error(`another process writes to ${file}`)
    const bytes = Buffer.from(text)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at)
    } catch (error) {
      failure = error as Error
      throw error
    }
    size += bytes.length
  }
  function write(lines: readonly Line[]): void {
    append(lines.map(lineOf).join(''))
    for (const line of lines) learn(line)
  }
  const current = () => [...states].filter(([, { isRemoved }]) => !isRemoved)
  const idOf = (store_id: bigint): Int64 =>
    Number.isSafeInteger(Number(store_id)) ? Number(store_id) : store_id

  return {
    saveStores(stores) {
      const listed = new Set(stores.map(({ id }) => BigInt(id)))
      const gone = current().filter(([store_id]) => !listed.has(store_id))
      write([
        ...stores.map(data => ({ kind: 'store', store_id: data.id, data }) as const),
        ...gone.map(([store_id]) => ({ kind: 'removed', store_id: idOf(store_id) }) as const),
      ])
    },
    remove: store_id => write([{ kind: 'removed', store_id: idOf(store_id) }]),
    storeIds: () => current().map(([store_id]) => store_id),
    position: store_id => stateOf(store_id).position,
    apply(store_id, from, page, until = Infinity) {
      const entries = page.changes.filter(({ seq }) => seq <= until)
      const lines = entries.map(
        ({ kind, id, seq, data }) =>
          `{"kind":"${kind}","store_id":${store_id},"id":${id},"seq":${seq},"data":${data}}\n`,
      )
      const position: Line = {
        kind: 'position',
        store_id: idOf(store_id),
        ...positionAfter(from, page, until),
      }
      append(`${lines.join('')}${lineOf(position)}`)
      for (const { kind, id } of entries)
        entered(store_id, kind, String(JSON.parse(id.replace(/^\d+$/, '"$&"'))))
      learn(position)
      return entries.length
    },
    restart: (store_id, { walk, kinds }) =>
      write([{ kind: 'position', store_id: idOf(store_id), ...start, walk: walk + 1, kinds }]),
    counts() {
      const held = current().map(([, state]) => state)
      const sum = (of: 'orders' | 'items') => held.reduce((total, each) => total + each[of].size, 0)
      return { stores: held.length, orders: sum('orders'), items: sum('items') }
    },
    close: () => closeSync(output),
  }
}

/** Hands over each line that belongs to a whole page, and returns where the last of them ends. */
async function readLines(file: string, learn: (line: Line) => void): Promise<number> {
  let [read, end] = [0, 0]
  let page: Line[] = []
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    rest = Buffer.concat([rest, chunk as Buffer])
    if (read === 0 && !rest.subarray(0, firstBytes.length).equals(firstBytes)) throw notOurs(file, rest)
    let from = 0
    // Not node:readline: it also splits at U+2028, which JSON has in strings. A last line without its end is cut off.
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
      const line = parseLine(rest.subarray(from, at), file)
      read += at + 1 - from
      from = at + 1
      page.push(line)
      if (line.kind === 'order' || line.kind === 'item') continue
      for (const each of page) learn(each)
      page = []
      end = read
    }
    rest = rest.subarray(from)
  }
  return end
}

function parseLine(bytes: Buffer, file: string): Line {
  try {
    const line = parseExact(bytes.toString()) as Line
    if (kinds.includes(line.kind) && line.store_id !== undefined) return line
  } catch {
    // Below.
  }
  throw notOurs(file, bytes)
}

const notOurs = (file: string, bytes: Buffer): Error =>
  new Error(`${file} is not a mirror in NDJSON, and stays as it is: ${bytes.toString('utf8', 0, 60)}`)
