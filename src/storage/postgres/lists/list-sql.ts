import { type ListVersion, storeFacts } from '../apps/access.ts'

/** A list of one store's rows that is read in pages, described in SQL. */
export interface ListShape {
  table: 'orders' | 'items'
  /** The sort key: a time, when there is one, and the id, which makes the order total. */
  order: readonly ['id'] | readonly [time: string, 'id']
  /** The version that rises with every change of the list. */
  version: ListVersion
}

export interface PageOptions {
  facts?: string
  /** The number of the first parameter. */
  first?: number
  /** Whether the key given is the first entry, or the last one before it. */
  operator?: '>=' | '>'
  /** The key is not the page's: four more parameters are another one, the time that the page begins at, and a limit. */
  shortcut?: boolean
  /** Whether entries may have to be skipped; where not, the offset must be 0. */
  skips?: boolean
  /** Whether the sort key of the last entry is wanted. */
  keys?: boolean
  /** Names the entries that follow, as many as a last parameter says. */
  rest?: boolean
}

/**
 * From $4 on: store, known version, offset, limit, last time, first key. The offset is skipped on the index alone; the
 * documents are read from the entry found there. What is not asked for by the options is not worth its time.
 */
export function pageSql(shape: ListShape, options: PageOptions = {}): string {
  const { facts = storeFacts, first = 4, operator = '>=', shortcut = false } = options
  const { skips = true, keys = true, rest = false } = options
  const at = (place: number) => `$${first + place}`
  const key = shape.order.join(', ')
  const range = (bound: string) => rangeSql(shape, at(0), at(4), `(${key}) ${bound}`)
  const given = shape.order.map((_, i) => at(5 + i)).join(', ')
  const start = shape.order.map(column => `start.${column}`).join(', ')
  const last = shape.order.map(column => `page.last_${column}`).join(', ')
  const behind = 5 + shape.order.length
  // What stands between the other key and the beginning of the window is passed by as well. The limit is no less than
  // there are; not knowing that, PostgreSQL walks along the index and fetches no rows to count them.
  const passed = `(select count(*) from (
          select id from ${shape.table} where store_id = ${at(0)}
            and (${key}) >= (${at(behind)}, ${at(behind + 1)}) and ${shape.order[0]} < ${at(behind + 2)}
          order by ${key} limit ${at(behind + 3)}) as between_them)`
  const wanted = `facts.readable and facts.${shape.version} is distinct from ${at(1)}`
  const offset = `offset ${at(2)} ${shortcut ? `+ ${passed}` : ''}`
  const entries = (where: string, order: string) =>
    `(select ${key}, doc from ${shape.table} where ${where} order by ${key} ${order} limit ${at(3)}) as entries`
  const found = `(
        select ${key} from ${shape.table} where ${wanted} and ${range(`${operator} (${given})`)}
        order by ${key} ${offset} limit 1
      ) as start cross join lateral ${entries(range(`>= (${start})`), '')}`
  const following = `left join lateral (
      select json_agg(id) as ids from (
        select id from ${shape.table} where page.rows = ${at(3)} and ${range(`> (${last})`)}
        order by ${key} limit ${at(shortcut ? behind + 4 : behind)}
      ) as following
    ) as rest on true`
  return `with facts as materialized (${facts})
    select facts.*, page.* ${rest ? ', rest.ids' : ''} from facts left join lateral (
      ${joinedSql(shape, keys)}
      from ${skips ? found : entries(`${wanted} and ${range(`${operator} (${given})`)}`, offset)}
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

/** From $4 on: store, ids. The entries of these ids, in their order. */
export function namedSql({ table }: ListShape, { facts = storeFacts, first = 4 } = {}): string {
  return `with facts as materialized (${facts})
    select facts.*, page.* from facts left join lateral (
      select count(*), string_agg(${table}.doc, ',' order by wanted.place)
      from unnest($${first + 1}::text[]) with ordinality as wanted (id, place)
      join ${table} on ${table}.store_id = $${first} and ${table}.id = wanted.id
      where facts.readable
    ) as page on true`
}

/** A list by id alone has no last time; its parameter is there all the same, so that all lists are called alike. */
function rangeSql({ order }: ListShape, store: string, to: string, bound: string): string {
  const end = order.length === 2 ? `${order[0]} <= ${to}` : `${to}::bigint is not null`
  return `store_id = ${store} and ${end} and ${bound}`
}

/**
 * The joined documents leave the server as one value. string_agg takes them as the subquery yields them, in order: an
 * ORDER BY of its own would sort them once more before PostgreSQL 16. The suite holds it to the order.
 */
function joinedSql({ order }: ListShape, keys = true): string {
  const last = order.map(column => `, (array_agg(entries.${column}))[count(*)] as last_${column}`)
  return `select count(*) as rows, string_agg(entries.doc, ',') as docs ${keys ? last.join('') : ''}`
}
