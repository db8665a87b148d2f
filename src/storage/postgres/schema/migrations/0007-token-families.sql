-- A row is one token, or a family of tokens, of which the generations from this one on have ended.
alter table revoked_tokens add column generation bigint not null default 0;
