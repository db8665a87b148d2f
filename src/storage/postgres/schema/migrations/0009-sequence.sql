-- Every stored change of an order or item gets a number of its store's sequence. Existing rows are numbered before the
-- next migration (storage/shared/numbering.ts); 0 means not yet.

alter table stores add column seq bigint not null default 0;
update stores set seq = greatest(orders_version, items_version);
-- A node of an earlier version would store changes without a number, which no reader of the sequence would see. Citus
-- allows no trigger on a distributed table (schema/citus.ts); there the constraint refuses most of them.
alter table stores add constraint stores_seq check (seq >= orders_version and seq >= items_version);
create function refuse_unnumbered() returns trigger language plpgsql as $$
begin
  raise exception 'this database needs a newer version of Tillgate';
end $$;
do $$ begin
  if not exists (select 1 from pg_extension where extname = 'citus') then
    create trigger stores_seq before update of orders_version, items_version on stores for each row
    when (new.seq = old.seq and (new.orders_version <> old.orders_version or new.items_version <> old.items_version))
    execute function refuse_unnumbered();
  end if;
end $$;

alter table orders add column seq bigint not null default 0;
alter table orders add column subtotal bigint not null default 0;
alter table items add column seq bigint not null default 0;

-- Sums over the orders of a UTC day (kind 'order'), or over all items of the store (kind 'item', day 0); lib/digest.ts.
-- `seq` is that of the newest change that touched the row.
create table receipts (
  store_id bigint not null,
  kind text collate "C" not null check (kind in ('order', 'item')),
  day bigint not null,
  entities bigint not null,
  subtotal bigint not null,
  digest_0 bigint not null,
  digest_1 bigint not null,
  digest_2 bigint not null,
  digest_3 bigint not null,
  seq bigint not null,
  primary key (store_id, kind, day)
) with (fillfactor = 80);

-- The id of this database's history, which clients of the sequence compare: one row.
create table feed (
  id bigint primary key check (id = 1),
  history text not null
);
insert into feed (id, history) values (1, replace(gen_random_uuid()::text, '-', ''));

-- The servers that have held this history, with their timeline: after a failover it may lack the last commits. The first
-- is recorded together with the history, so that a standby that has the one has the other.
create table feed_servers (
  system_identifier text primary key,
  timeline bigint not null
);
insert into feed_servers (system_identifier, timeline)
select system_identifier::text, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
from pg_control_system();
