import { afterClaim, type ListVersion, storeFacts } from '../apps/access.ts'

/** A list of one store's rows that is read in pages, described in SQL. */
export interface ListShape {
  table: 'orders' | 'items'
  /** The sort key: a time, when there is one, and the id, which makes the order total. */
  order: readonly ['id'] | readonly [time: string, 'id']
  /** The version that rises with every change of the list. */
  version: ListVersion
  /** The version of a page is that of the days in its window. */
  by_day?: boolean
}

export interface StatementOptions {
  facts?: string
  /** The number of the first parameter. */
  first?: number
  /** Whether the given key is the first entry, or the last one before it. */
  operator?: '>=' | '>'
  /** Whether there may be an offset; without this it must be 0. */
  skips?: boolean
  /** Returns the ids of the entries that follow, as many as a last parameter says, and the sort key of the last one. */
  rest?: boolean
}

/**
 * The version of what a page covers, as SQL: `store`, `from` and `to` are parameters, `whole` the version of the whole
 * list.
 */
export const versionSql = (
  { by_day = false }: ListShape,
  { store, from, to, whole }: Record<'store' | 'from' | 'to' | 'whole', string>,
): string => {
  const day = (seconds: string) => `floor(${seconds}::bigint::double precision / 86400)`
  return by_day
    ? `coalesce((select max(receipts.seq) from receipts where receipts.store_id = ${store}
        and receipts.kind = 'order' and receipts.day between ${day(from)} and ${day(to)}), 0)`
    : whole
}

/** `storeFacts` with the version of what a page covers; parameters as in `pageSql`. */
function listFacts(shape: ListShape): string {
  const [store, to, from] = [0, 4, 5].map(place => `$${afterClaim + place}`) as [string, string, string]
  const version = versionSql(shape, { store, from, to, whole: `facts.${shape.version}` })
  return `select facts.*, ${version} as list_version from (${storeFacts}) as facts`
}

/**
 * After the claim: store, known version, offset, limit, last time, first key. Two steps: an index-only scan finds the key at
 * the offset, then the documents are read from that key on. Options that are off keep the statement cheaper.
 */
export function pageSql(shape: ListShape, options: StatementOptions = {}): string {
  const { facts = listFacts(shape), first = afterClaim, operator = '>=' } = options
  const { skips = true, rest = false } = options
  const at = (place: number) => `$${first + place}`
  const key = shape.order.join(', ')
  const range = (bound: string) => rangeSql(shape, at(0), at(4), `(${key}) ${bound}`)
  const given = shape.order.map((_, i) => at(5 + i)).join(', ')
  const start = shape.order.map(column => `start.${column}`).join(', ')
  const last = shape.order.map(column => `page.last_${column}`).join(', ')
  const wanted = `facts.readable and facts.list_version is distinct from ${at(1)}`
  const entries = (where: string, order: string) =>
    `(select ${key}, doc from ${shape.table} where ${where} order by ${key} ${order} limit ${at(3)}) as entries`
  const found = `(
        select ${key} from ${shape.table} where ${wanted} and ${range(`${operator} (${given})`)}
        order by ${key} offset ${at(2)} limit 1
      ) as start cross join lateral ${entries(range(`>= (${start})`), '')}`
  const following = `left join lateral (
      select json_agg(id) as ids, ${lastKey(shape, 'following', 'end')} from (
        select ${key} from ${shape.table} where page.rows = ${at(3)} and ${range(`> (${last})`)}
        order by ${key} limit ${at(5 + shape.order.length)}
      ) as following
    ) as rest on true`
  return `with facts as materialized (${facts})
    select facts.*, page.* ${rest ? ', rest.*' : ''} from facts left join lateral (
      ${joinedSql(shape)}
      from ${skips ? found : entries(`${wanted} and ${range(`${operator} (${given})`)}`, `offset ${at(2)}`)}
    ) as page on true ${rest ? following : ''}`
}

/** $1 store, $2 limit, $3 last time, $4… key of the entry before. */
export function moreSql(shape: ListShape): string {
  const key = shape.order.join(', ')
  const after = shape.order.map((_, i) => `$${4 + i}`).join(', ')
  return `${joinedSql(shape)} from (
    select ${key}, doc from ${shape.table}
    where ${rangeSql(shape, '$1', '$3', `(${key}) > (${after})`)} order by ${key} limit $2
  ) as entries`
}

/** After the claim: store, ids. The entries of these ids, in their order. */
export function byIdsSql(shape: ListShape): string {
  return `with facts as materialized (${storeFacts})
    select facts.*, page.* from facts left join lateral (
      ${entriesByIdsSql(shape, `$${afterClaim}`, `$${afterClaim + 1}`, 'where facts.readable')}
    ) as page on true`
}

export const entriesByIdsSql = ({ table }: ListShape, store: string, ids: string, where = ''): string =>
  `select count(*), string_agg(${table}.doc, ',' order by wanted.place)
   from unnest(${ids}::text[]) with ordinality as wanted (id, place)
   join ${table} on ${table}.store_id = ${store} and ${table}.id = wanted.id ${where}`

/** A list by id alone has no last time; its parameter is used all the same, so that every list has the same ones. */
function rangeSql({ order }: ListShape, store: string, to: string, bound: string): string {
  const end = order.length === 2 ? `${order[0]} <= ${to}` : `${to}::bigint is not null`
  return `store_id = ${store} and ${end} and ${bound}`
}

/**
 * The joined documents leave the server as one value. string_agg joins them in the subquery's order: an ORDER BY of its
 * own would sort them again before PostgreSQL 16. A test checks the order.
 */
function joinedSql(shape: ListShape): string {
  return `select count(*) as rows, string_agg(entries.doc, ',') as docs, ${lastKey(shape, 'entries', 'last')}`
}

const lastKey = ({ order }: ListShape, rows: string, prefix: string): string =>
  order.map(column => `(array_agg(${rows}.${column}))[count(*)] as ${prefix}_${column}`).join(', ')
