-- Counters by hour (width 3600) and day (86400) of UTC; a bucket is named by its first second. The indexes by bucket are
-- what old ones are found and deleted by, and what the sums of all apps are read from.

-- Of a store, like its other tables. The one bucket of width 0 is never deleted: it holds the last read.
create table usage_reads (
  store_id integer not null,
  width integer not null,
  bucket integer not null,
  app_id text not null,
  requests integer not null,
  orders integer not null,
  items integer not null,
  sales integer not null,
  last_at integer not null,
  primary key (store_id, width, bucket, app_id)
) strict, without rowid;
create index usage_reads_by_bucket on usage_reads (width, bucket);

-- latency_0 to latency_20: how many took so long, by the buckets of lib/latency-buckets.ts.
create table usage_requests (
  app_id text not null, -- empty: no app is known
  width integer not null,
  bucket integer not null,
  endpoint text not null,
  requests integer not null,
  client_errors integer not null,
  server_errors integer not null,
  latency_0 integer not null, latency_1 integer not null, latency_2 integer not null,
  latency_3 integer not null, latency_4 integer not null, latency_5 integer not null,
  latency_6 integer not null, latency_7 integer not null, latency_8 integer not null,
  latency_9 integer not null, latency_10 integer not null, latency_11 integer not null,
  latency_12 integer not null, latency_13 integer not null, latency_14 integer not null,
  latency_15 integer not null, latency_16 integer not null, latency_17 integer not null,
  latency_18 integer not null, latency_19 integer not null, latency_20 integer not null,
  primary key (app_id, width, bucket, endpoint)
) strict, without rowid;
create index usage_requests_by_bucket on usage_requests (width, bucket);

create table usage_ingest (
  width integer not null,
  bucket integer not null,
  requests integer not null,
  stores integer not null,
  items integer not null,
  orders integer not null,
  unchanged integer not null,
  last_at integer not null,
  lagged integer not null,
  lag_sum integer not null,
  lag_max integer not null,
  lag_last integer,
  primary key (width, bucket)
) strict, without rowid;

-- Neither addresses nor queries nor tokens: the route's pattern says what was asked for.
create table request_log (
  app_id text not null,
  at_ms integer not null,
  request_id text not null,
  method text not null,
  endpoint text not null,
  status integer not null,
  error_code text,
  microseconds integer not null,
  store_id integer,
  primary key (app_id, at_ms, request_id)
) strict, without rowid;
create index request_log_by_id on request_log (app_id, request_id);
-- For deleting old entries alone: one on at_ms itself would be taken for the log of an app, through everybody's entries.
create index request_log_by_second on request_log (at_ms / 1000);
