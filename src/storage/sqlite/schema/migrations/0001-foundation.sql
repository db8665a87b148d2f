-- Text compares by bytes (SQLite's default, BINARY), as the lists' order by id promises.

create table accounts (
  id text primary key,
  email text not null unique,
  role text not null check (role in ('merchant', 'developer', 'operator')),
  password_hash text not null,
  created_at integer not null,
  disabled_at integer
) strict, without rowid;

create table sessions (
  hash text primary key,
  account_id text not null references accounts (id),
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;
create index sessions_by_expiry on sessions (expires_at);

create table apps (
  id text primary key,
  name text not null,
  scope text not null,
  redirect_uris text not null, -- a JSON array
  public integer not null check (public in (0, 1)),
  owner_id text references accounts (id),
  created_at integer not null,
  disabled_at integer
) strict, without rowid;

create table app_secrets (
  id text primary key,
  app_id text not null references apps (id),
  hash text not null,
  created_at integer not null,
  last_used_at integer
) strict, without rowid;
create index app_secrets_by_app on app_secrets (app_id, created_at, id);

create table authorizations (
  id text primary key,
  app_id text not null references apps (id),
  account_id text references accounts (id), -- null: the operator's own link
  scope text not null,
  created_at integer not null,
  updated_at integer not null,
  revoked_at integer
) strict, without rowid;
-- One live authorization for each app and account; coalesce, because nulls would all be distinct.
create unique index authorizations_live on authorizations (app_id, coalesce(account_id, '')) where revoked_at is null;

create table artifacts (
  kind text not null,
  hash text not null,
  payload text not null,
  expires_at integer not null,
  consumed_at integer,
  primary key (kind, hash)
) strict, without rowid;
create index artifacts_by_expiry on artifacts (expires_at);

create table revoked_tokens (
  jti text primary key,
  expires_at integer not null
) strict, without rowid;
create index revoked_tokens_by_expiry on revoked_tokens (expires_at);

create table keys (
  id text primary key,
  use text not null check (use in ('sign', 'cookie')),
  secret text not null,
  created_at integer not null,
  retired_at integer
) strict, without rowid;

create table throttles (
  key text primary key,
  expires_at integer not null,
  count integer not null
) strict, without rowid;
create index throttles_by_expiry on throttles (expires_at);

-- From here on every row belongs to a store. The tables can be distributed by it: store_id (id in stores) is in each
-- key, and no foreign key or trigger leads out.

create table stores (
  id integer primary key,
  name text not null,
  timezone text not null,
  merchant text,
  orders_version integer not null default 0,
  items_version integer not null default 0,
  doc text not null
) strict;
create index stores_by_merchant on stores (merchant, id);

-- Holds the stores of live authorizations only, so that asking for access is one look at the key.
create table authorization_stores (
  store_id integer not null,
  app_id text not null,
  authorization_id text not null,
  since integer not null,
  primary key (store_id, app_id, authorization_id)
) strict, without rowid;
create index authorization_stores_by_app on authorization_stores (app_id, store_id);
create index authorization_stores_by_authorization on authorization_stores (authorization_id, store_id);

create table activations (
  store_id integer not null,
  app_id text not null,
  activated_at integer not null,
  primary key (store_id, app_id)
) strict, without rowid;

create table items (
  store_id integer not null,
  id integer not null,
  updated_at integer not null,
  doc text not null,
  primary key (store_id, id)
) strict, without rowid;
create index items_by_updated on items (store_id, updated_at, id);

-- Clustered in the order in which pages are read: a page is one range of neighbouring documents.
create table orders (
  store_id integer not null,
  created_at integer not null,
  id text not null,
  updated_at integer not null,
  paid_at integer,
  sold text not null, -- lib/sold.ts
  doc text not null,
  primary key (store_id, created_at, id)
) strict, without rowid;
create unique index orders_by_id on orders (store_id, id);
-- The primary key again, without the documents: a deep page skips here, over a twentieth of the bytes, and the sales of
-- a broken day are summed from here.
create index orders_by_created on orders (store_id, created_at, id, sold);
create index orders_by_updated on orders (store_id, updated_at, id);
create index orders_by_paid on orders (store_id, paid_at, id) where paid_at is not null;

create table sales_rollups (
  store_id integer not null,
  width integer not null,
  bucket integer not null,
  item_id integer not null,
  lines integer not null,
  units integer not null,
  nanos integer not null,
  primary key (store_id, width, bucket, item_id)
) strict, without rowid;
