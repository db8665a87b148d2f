-- Text compares by bytes (collate "C"), as the lists' order by id promises and as SQLite does.
-- citus.ts says how the tables are spread over the workers of Citus.

create table accounts (
  id text collate "C" primary key,
  email text collate "C" not null unique,
  role text not null check (role in ('merchant', 'developer', 'operator')),
  password_hash text not null,
  created_at bigint not null,
  disabled_at bigint
);

create table sessions (
  hash text collate "C" primary key,
  account_id text collate "C" not null references accounts (id),
  created_at bigint not null,
  expires_at bigint not null
);
create index sessions_by_expiry on sessions (expires_at);

create table apps (
  id text collate "C" primary key,
  name text not null,
  scope text not null,
  redirect_uris text not null, -- a JSON array
  public boolean not null,
  owner_id text collate "C" references accounts (id),
  created_at bigint not null,
  disabled_at bigint
);

create table app_secrets (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  hash text not null,
  created_at bigint not null,
  last_used_at bigint
);
create index app_secrets_by_app on app_secrets (app_id, created_at, id);

create table authorizations (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  account_id text collate "C" references accounts (id), -- null: the operator's own link
  scope text not null,
  created_at bigint not null,
  updated_at bigint not null,
  revoked_at bigint
);
-- One live authorization for each app and account; coalesce, because nulls would all be distinct.
create unique index authorizations_live on authorizations (app_id, coalesce(account_id, '')) where revoked_at is null;

create table artifacts (
  kind text collate "C" not null,
  hash text collate "C" not null,
  payload text not null,
  expires_at bigint not null,
  consumed_at bigint,
  primary key (kind, hash)
);
create index artifacts_by_expiry on artifacts (expires_at);

create table revoked_tokens (
  jti text collate "C" primary key,
  expires_at bigint not null
);
create index revoked_tokens_by_expiry on revoked_tokens (expires_at);

create table keys (
  id text collate "C" primary key,
  use text not null check (use in ('sign', 'cookie')),
  secret text not null,
  created_at bigint not null,
  retired_at bigint
);

-- Counted up again and again: free space in each page lets a new version stay beside the old one.
create table throttles (
  key text collate "C" primary key,
  expires_at bigint not null,
  count bigint not null
) with (fillfactor = 50);
create index throttles_by_expiry on throttles (expires_at);

-- From here on every row belongs to a store. The tables can be distributed by it: store_id (id in stores) is in each
-- key, and no foreign key or trigger leads out.

-- Every batch raises a version: free space again, so that the indexes need no new entry.
create table stores (
  id bigint primary key,
  name text not null,
  timezone text not null,
  merchant text collate "C",
  orders_version bigint not null default 0,
  items_version bigint not null default 0,
  doc text not null
) with (fillfactor = 50);
create index stores_by_merchant on stores (merchant, id);

-- Holds the stores of live authorizations only, so that asking for access is one look at the key.
create table authorization_stores (
  store_id bigint not null,
  app_id text collate "C" not null,
  authorization_id text collate "C" not null,
  since bigint not null,
  primary key (store_id, app_id, authorization_id)
);
create index authorization_stores_by_app on authorization_stores (app_id, store_id);
create index authorization_stores_by_authorization on authorization_stores (authorization_id, store_id);

create table activations (
  store_id bigint not null,
  app_id text collate "C" not null,
  activated_at bigint not null,
  primary key (store_id, app_id)
);

create table items (
  store_id bigint not null,
  id bigint not null,
  updated_at bigint not null,
  doc text not null,
  primary key (store_id, id)
);
create index items_by_updated on items (store_id, updated_at, id);

-- Orders arrive by time, so the documents of a page lie close together though nothing sorts them. The primary key is
-- an index without the documents: a deep page skips in it.
create table orders (
  store_id bigint not null,
  created_at bigint not null,
  id text collate "C" not null,
  updated_at bigint not null,
  paid_at bigint,
  sold text not null, -- lib/sold.ts
  doc text not null,
  primary key (store_id, created_at, id)
);
create unique index orders_by_id on orders (store_id, id);
create index orders_by_updated on orders (store_id, updated_at, id);
create index orders_by_paid on orders (store_id, paid_at, id) where paid_at is not null;

create table sales_rollups (
  store_id bigint not null,
  width bigint not null,
  bucket bigint not null,
  item_id bigint not null,
  lines bigint not null,
  units bigint not null,
  nanos bigint not null,
  primary key (store_id, width, bucket, item_id)
) with (fillfactor = 80);
