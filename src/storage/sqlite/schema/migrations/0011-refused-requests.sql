-- Of refused requests the log keeps the query and the problem, without secrets (lib/redact.ts).
alter table request_log add column query text;
alter table request_log add column problem text;

-- The highest number that a change got.
alter table usage_ingest add column newest_seq integer;
