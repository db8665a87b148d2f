-- Where a person signed in, so that they recognize their sessions.
alter table sessions add column address text;
alter table sessions add column browser text;
create index sessions_by_account on sessions (account_id);

-- Two-factor authentication by time-based codes (RFC 6238). `step` is the newest time step whose code was used: each
-- code works once. `recovery_codes` holds the hashes of unused ones, with a space after each.
create table two_factor (
  account_id text collate "C" primary key references accounts (id),
  secret text not null,
  step bigint not null,
  recovery_codes text not null,
  created_at bigint not null
);
