-- Counters by hour (width 3600) and day (86400) of UTC; a bucket is named by its first second. The indexes by bucket are
-- what old ones are found and deleted by, and what the sums of all apps are read from.

-- Of a store, like its other tables. The one bucket of width 0 is never deleted: it holds the last read.
create table usage_reads (
  store_id bigint not null,
  width bigint not null,
  bucket bigint not null,
  app_id text collate "C" not null,
  requests bigint not null,
  orders bigint not null,
  items bigint not null,
  sales bigint not null,
  last_at bigint not null,
  primary key (store_id, width, bucket, app_id)
) with (fillfactor = 80);
create index usage_reads_by_bucket on usage_reads (width, bucket);

-- latency_0 to latency_20: how many took so long, by the buckets of lib/latency-buckets.ts.
create table usage_requests (
  app_id text collate "C" not null, -- empty: no app is known
  width bigint not null,
  bucket bigint not null,
  endpoint text collate "C" not null,
  requests bigint not null,
  client_errors bigint not null,
  server_errors bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null,
  latency_3 bigint not null, latency_4 bigint not null, latency_5 bigint not null,
  latency_6 bigint not null, latency_7 bigint not null, latency_8 bigint not null,
  latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  latency_12 bigint not null, latency_13 bigint not null, latency_14 bigint not null,
  latency_15 bigint not null, latency_16 bigint not null, latency_17 bigint not null,
  latency_18 bigint not null, latency_19 bigint not null, latency_20 bigint not null,
  primary key (app_id, width, bucket, endpoint)
) with (fillfactor = 80);
create index usage_requests_by_bucket on usage_requests (width, bucket);

create table usage_ingest (
  width bigint not null,
  bucket bigint not null,
  requests bigint not null,
  stores bigint not null,
  items bigint not null,
  orders bigint not null,
  unchanged bigint not null,
  last_at bigint not null,
  lagged bigint not null,
  lag_sum bigint not null,
  lag_max bigint not null,
  lag_last bigint,
  primary key (width, bucket)
) with (fillfactor = 80);

-- Neither addresses nor queries nor tokens: the route's pattern says what was asked for.
create table request_log (
  app_id text collate "C" not null,
  at_ms bigint not null,
  request_id text collate "C" not null,
  method text not null,
  endpoint text collate "C" not null,
  status integer not null,
  error_code text,
  microseconds bigint not null,
  store_id bigint,
  primary key (app_id, at_ms, request_id)
);
create index request_log_by_id on request_log (app_id, request_id);
-- For deleting old entries alone: one on at_ms itself would be taken for the log of an app, through everybody's entries.
create index request_log_by_second on request_log ((at_ms / 1000));
