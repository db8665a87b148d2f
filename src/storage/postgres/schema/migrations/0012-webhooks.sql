-- Counts the changes of an authorization, so that the receiver of two events knows which is newer.
alter table authorizations add column revision bigint not null default 1;

alter table apps add column webhooks_paused boolean not null default false;

-- Where an app wants its events. `failures` counts attempts since the last success; the next one is at `retry_at_ms`.
create table webhook_endpoints (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  url text not null,
  events text not null,
  secret text not null,
  previous_secret text,
  previous_until bigint,
  created_at bigint not null,
  disabled_at bigint,
  reason text,
  failures bigint not null default 0,
  failing_since bigint,
  retry_at_ms bigint not null default 0
);
create index webhook_endpoints_by_app on webhook_endpoints (app_id, created_at, id);

-- The newest seq of each store that an endpoint knows. store.changed is derived from it: nothing is queued.
-- A lease keeps two processes from sending the same attempt.
create table webhook_positions (
  store_id bigint not null,
  endpoint_id text collate "C" not null,
  history text not null,
  seq bigint not null,
  next_at_ms bigint not null default 0,
  lease text,
  leased_until_ms bigint not null default 0,
  primary key (store_id, endpoint_id)
) with (fillfactor = 50);
create index webhook_positions_by_endpoint on webhook_positions (endpoint_id, store_id);

-- The outbox of other events (state pending), and the log of all attempts; bounded for each endpoint. `urgent` rows
-- are sent although the endpoint fails.
create table webhook_deliveries (
  endpoint_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  store_id bigint,
  body text not null,
  created_at_ms bigint not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  urgent boolean not null default false,
  attempts bigint not null default 0,
  attempted_at_ms bigint,
  duration_ms bigint,
  status bigint,
  problem text,
  answer text,
  lease text,
  leased_until_ms bigint not null default 0,
  primary key (endpoint_id, id)
);
create index webhook_deliveries_by_time on webhook_deliveries (endpoint_id, created_at_ms, id);
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, created_at_ms) where state = 'pending';

-- One row, not copied: a restored or copied database is paused. The sweep has compared every store up to `watermark`.
create table webhook_sender (
  key text primary key check (key = 'all'),
  paused boolean not null default false,
  watermark bigint not null default 0
);
insert into webhook_sender (key) values ('all');
