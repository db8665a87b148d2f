-- The requests of all apps, in rows of the app `*`, so that the operator's overview does not add up every app.
insert into usage_requests (
  app_id, width, bucket, endpoint,
  requests, client_errors, server_errors, latency_0, latency_1, latency_2,
  latency_3, latency_4, latency_5, latency_6, latency_7, latency_8,
  latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
  latency_15, latency_16, latency_17, latency_18, latency_19, latency_20
)
select '*', width, bucket, endpoint,
  sum(requests), sum(client_errors), sum(server_errors), sum(latency_0),
  sum(latency_1), sum(latency_2), sum(latency_3), sum(latency_4),
  sum(latency_5), sum(latency_6), sum(latency_7), sum(latency_8),
  sum(latency_9), sum(latency_10), sum(latency_11), sum(latency_12),
  sum(latency_13), sum(latency_14), sum(latency_15), sum(latency_16),
  sum(latency_17), sum(latency_18), sum(latency_19), sum(latency_20)
from usage_requests group by width, bucket, endpoint;
