-- The apps of a merchant, among the consents of all others.
create index authorizations_by_account on authorizations (account_id) where revoked_at is null;

-- No index of `stores` by seq, as SQLite has: every batch would have to write new entries into all indexes of the table,
-- because an update is heap-only while no indexed column changes.
