-- Every stored change of an order or item gets a number of its store's sequence. Existing rows are numbered before the
-- next migration (storage/shared/numbering.ts); 0 means not yet.

alter table stores add column seq integer not null default 0;
update stores set seq = max(orders_version, items_version);

-- A process of an earlier version would store changes without a number, which no reader of the sequence would see.
create trigger stores_seq before update of orders_version, items_version on stores
when new.seq = old.seq and (new.orders_version <> old.orders_version or new.items_version <> old.items_version)
begin
  select raise(abort, 'this database needs a newer version of Tillgate');
end;

alter table orders add column seq integer not null default 0;
alter table orders add column subtotal integer not null default 0;
alter table items add column seq integer not null default 0;

-- Sums over the orders of a UTC day (kind 'order'), or over all items of the store (kind 'item', day 0); lib/digest.ts.
-- `seq` is that of the newest change that touched the row.
create table receipts (
  store_id integer not null,
  kind text not null check (kind in ('order', 'item')),
  day integer not null,
  entities integer not null,
  subtotal integer not null,
  digest_0 integer not null,
  digest_1 integer not null,
  digest_2 integer not null,
  digest_3 integer not null,
  seq integer not null,
  primary key (store_id, kind, day)
) strict, without rowid;

-- The id of this database's history, which clients of the sequence compare: one row.
create table feed (
  id integer primary key check (id = 1),
  history text not null
) strict;
insert into feed (id, history) values (1, lower(hex(randomblob(12))));
