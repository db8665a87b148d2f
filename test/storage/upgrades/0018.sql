-- A little of everything, as schema 4 holds it. Both engines read it. Never changed: databases like this are out there.
insert into accounts (id, email, role, password_hash, created_at) values ('ada', 'ada@example.com', 'merchant', 'hash', 100);
insert into sessions (hash, account_id, created_at, expires_at) values ('session', 'ada', 100, 9999999999);
insert into apps (id, name, scope, redirect_uris, public, created_at)
  values ('app', 'Ledger', 'integration.store integration.order', '["https://a.example/cb"]', false, 100);
insert into app_secrets (id, app_id, hash, created_at) values ('secret', 'app', 'secret-hash', 100);
insert into authorizations (id, app_id, account_id, scope, created_at, updated_at)
  values ('grant', 'app', 'ada', 'integration.store integration.order', 100, 100);
insert into artifacts (kind, hash, payload, expires_at) values ('RefreshToken', 'refresh', '{"a":1}', 9999999999);
insert into revoked_tokens (jti, expires_at) values ('dead', 9999999999);
insert into keys (id, use, secret, created_at) values ('key', 'sign', '{}', 100);
insert into stores (id, name, timezone, merchant, doc, orders_version, items_version, seq)
  values (9007199254740993, 'Harbour', 'Australia/Sydney', 'ada@example.com', '{"store":1}', 3, 2, 3);
insert into authorization_stores (store_id, app_id, authorization_id, since, scope)
  values (9007199254740993, 'app', 'grant', 100, 'integration.store integration.order');
insert into activations (store_id, app_id, activated_at) values (9007199254740993, 'app', 150);
insert into items (store_id, id, updated_at, seq, doc) values (9007199254740993, 7, 100, 1, '{"item":7}');
insert into orders (store_id, created_at, id, updated_at, paid_at, seq, sold, doc)
  values (9007199254740993, 1000, 'o1', 1000, null, 2, '7:1:2:500000000', '{"order":"o1"}');
insert into receipts (store_id, kind, day, entities, subtotal, digest_0, digest_1, digest_2, digest_3, seq) values
  (9007199254740993, 'item', 0, 1, 0, 3617640167, 3055464675, 3833032228, 1559952379, 1),
  (9007199254740993, 'order', 0, 1, 0, 3331332510, 1794653829, 4226365464, 322908354, 2);
insert into sales_rollups (store_id, width, bucket, item_id, lines, units, nanos)
  values (9007199254740993, 86400, 0, 7, 1, 2, 500000000);
update apps set website = 'https://ledger.example/', publisher = 'Ledger Ltd';
insert into switches (name, is_on) values ('sign_up', true);
insert into audit_entries (id, at, action, actor_kind, actor_id, actor_name, account_id, app_id, store_ids)
  values ('0001', 100, 'access_allowed', 'account', 'ada', 'ada@example.com', 'ada', 'app', '9007199254740993');
insert into usage_reads (store_id, width, bucket, app_id, requests, orders, items, sales, last_at)
  values (9007199254740993, 3600, 0, 'app', 3, 100, 20, 7, 1234);
insert into usage_requests (app_id, width, bucket, endpoint, requests, client_errors, server_errors,
    latency_0, latency_1, latency_2, latency_3, latency_4, latency_5, latency_6, latency_7, latency_8, latency_9, latency_10,
    latency_11, latency_12, latency_13, latency_14, latency_15, latency_16, latency_17, latency_18, latency_19, latency_20)
  values ('app', 3600, 0, 'GET /integration/v1/orders', 3, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    ('*', 3600, 0, 'GET /integration/v1/orders', 3, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
insert into usage_ingest (width, bucket, requests, stores, items, orders, unchanged, last_at, lagged, lag_sum, lag_max, lag_last, newest_seq)
  values (3600, 0, 2, 1, 0, 50, 3, 1200, 1, 9, 9, 9, 2);
insert into request_log (app_id, at_ms, request_id, method, endpoint, status, error_code, microseconds, store_id, query, problem)
  values ('app', 1234567, 'request', 'GET', 'GET /integration/v1/orders', 403, 'store_forbidden', 1500, 9007199254740993, 'store_id=9007199254740993', 'No access');
insert into apps (id, name, scope, redirect_uris, public, created_at, disabled_at, disabled_by_owner)
  values ('paused', 'Paused', 'integration.store', '[]', false, 100, 200, true);
update authorizations set revision = 3;
insert into webhook_endpoints (id, app_id, url, events, secret, created_at, failures, failing_since, retry_at_ms)
  values ('we_1', 'app', 'https://a.example/hook', 'store.changed', 'whsec_c2VjcmV0', 100, 2, 150, 160000);
insert into webhook_positions (store_id, endpoint_id, history, seq) values (9007199254740993, 'we_1', 'h', 2);
insert into webhook_deliveries (endpoint_id, id, type, store_id, body, created_at_ms, state, attempts, attempted_at_ms,
    duration_ms, status, problem, answer)
  values ('we_1', 'msg_1', 'store.changed', 9007199254740993, '{}', 100000, 'failed', 1, 100000, 12, 500, 'HTTP 500', 'no');
update sessions set address = '192.0.2.7', browser = 'Firefox';
insert into two_factor (account_id, secret, step, recovery_codes, created_at)
  values ('ada', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 59000000, 'hash ', 100);
update apps set logo = 'v1' where id = 'app';
insert into brand (key, name, accent, support, logo) values ('platform', 'Harbour POS', '#3451c6', 'help@example.com', 'v2');
insert into logos (owner_id, version, type, content) values ('app', 'v1', 'image/png', 'AAEC');
insert into logos (owner_id, version, type, content) values ('platform', 'v2', 'image/webp', 'AwQF');
update webhook_endpoints set access_version = 1;
