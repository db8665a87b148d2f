-- The apps of a merchant, among the consents of all others.
create index authorizations_by_account on authorizations (account_id) where revoked_at is null;

-- Webhooks ask every second which stores have moved.
create index stores_by_seq on stores (seq);
