-- The requests of all apps, in rows of the app `*`, so that the operator's overview does not add up every app.
insert into usage_requests (
  app_id, width, bucket, endpoint,
  requests, client_errors, server_errors, latency_0, latency_1, latency_2,
  latency_3, latency_4, latency_5, latency_6, latency_7, latency_8,
  latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
  latency_15, latency_16, latency_17, latency_18, latency_19, latency_20
)
select '*', width, bucket, endpoint,
  sum(requests)::bigint, sum(client_errors)::bigint, sum(server_errors)::bigint, sum(latency_0)::bigint,
  sum(latency_1)::bigint, sum(latency_2)::bigint, sum(latency_3)::bigint, sum(latency_4)::bigint,
  sum(latency_5)::bigint, sum(latency_6)::bigint, sum(latency_7)::bigint, sum(latency_8)::bigint,
  sum(latency_9)::bigint, sum(latency_10)::bigint, sum(latency_11)::bigint, sum(latency_12)::bigint,
  sum(latency_13)::bigint, sum(latency_14)::bigint, sum(latency_15)::bigint, sum(latency_16)::bigint,
  sum(latency_17)::bigint, sum(latency_18)::bigint, sum(latency_19)::bigint, sum(latency_20)::bigint
from usage_requests group by width, bucket, endpoint;
