/** `PRAGMA user_version` of a mirror; a file of a later version is refused. */
export const schemaVersion = 3

/** `PRAGMA application_id`: "TGmr". */
export const applicationId = 0x54476d72

const column = (name: string, type: string): string =>
  `${name} ${type} generated always as (data ->> '$.${name}') virtual`
const columns = (type: string, names: string): string =>
  names
    .split(' ')
    .map(name => column(name, type))
    .join(',\n  ')
const fields = (names: string): string =>
  names
    .split(' ')
    .map(name => `each.value ->> '$.${name}' as ${name}`)
    .join(', ')

/** One row for each element of an array of the order. */
const elements = (view: string, array: string, names: string): string => `
create view ${view} as
select orders.store_id, orders.id as order_id, orders.created_at, orders.status as order_status, each.key as position, ${fields(names)}
from orders, json_each(orders.data, '$.${array}') as each;`

/** Of `data`, as it came from the server: `verify` finds what was changed in the file. Null in rows of version 1. */
const checksum = 'checksum integer'

/** Comma-separated: what the copy holds of the store. */
const kinds = "kinds text not null default ''"

/** What each version lacks of the next one. */
export const upgrades = [
  ['orders', 'items'].map(table => `alter table ${table} add column ${checksum};`).join(' '),
  `alter table stores add column ${kinds};
  update stores set kinds = 'order' where store_id in (select store_id from orders);
  update stores set kinds = ltrim(kinds || ',item', ',') where store_id in (select store_id from items);`,
]

/** `data` is the JSON of the API; the other columns and the views are read from it, so they cannot differ from it. */
export const schema = `
create table stores (
  store_id integer primary key,
  id integer generated always as (store_id) virtual,
  -- The copy has every change up to this seq.
  seq integer not null default 0,
  feed text,
  walk integer not null default 0,
  complete integer not null default 0,
  ${kinds},
  -- Since when the app may no longer read the store; null while it may.
  removed_at text,
  data text not null,
  ${columns('text', 'name timezone')}
);
create table orders (
  store_id integer not null,
  id text not null,
  seq integer not null,
  walk integer not null,
  data text not null,
  ${checksum},
  ${columns('text', 'order_number created_at updated_at paid_at source fulfillment')},
  ${columns('integer', 'status subtotal tax_total tips')},
  primary key (store_id, id)
);
create index orders_by_time on orders (store_id, created_at);
create table items (
  store_id integer not null,
  id integer not null,
  seq integer not null,
  walk integer not null,
  data text not null,
  ${checksum},
  ${columns('text', 'name category_name')},
  ${columns('integer', 'status price')},
  primary key (store_id, id)
);

create view order_overview as
select orders.store_id, stores.name as store, orders.id, order_number, created_at, paid_at, orders.status,
  case orders.status when 2 then 'paid' when 3 then 'refunded' when 11 then 'partial refunded' end as status_name,
  source, fulfillment, subtotal, tax_total, tips,
  json_array_length(orders.data, '$.carts') as lines,
  (select sum(value ->> '$.amount') from json_each(orders.data, '$.payments')) as paid
from orders join stores using (store_id);
${elements('order_lines', 'carts', 'type tid group_no serial_no menu_id name code unit_type price discount net_price count tax_total tax_calculated')}
${elements('order_payments', 'payments', 'type platform amount surcharge name reference')}
${elements('order_taxes', 'taxes', 'amount rate name base_subtotal')}
create view sales_by_day as
select orders.store_id, stores.name as store, substr(created_at, 1, 10) as day,
  count(*) filter (where status in (2, 11)) as orders,
  count(*) filter (where status = 3) as refunded,
  coalesce(sum(subtotal) filter (where status in (2, 11)), 0) as subtotal,
  coalesce(sum(tax_total) filter (where status in (2, 11)), 0) as tax_total,
  coalesce(sum(tips) filter (where status in (2, 11)), 0) as tips
from orders join stores using (store_id)
group by orders.store_id, day;
`
