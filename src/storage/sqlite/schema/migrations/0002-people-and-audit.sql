alter table apps add column website text;
alter table apps add column publisher text;

-- What the operator turns on and off while the server runs.
create table switches (
  name text primary key,
  is_on integer not null check (is_on in (0, 1))
) strict, without rowid;

-- No foreign keys: an entry tells what was, whatever became of it.
create table audit_entries (
  id text primary key,
  at integer not null,
  action text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  account_id text,
  app_id text,
  store_ids text not null, -- with commas between them
  detail text,
  address text,
  request_id text
) strict, without rowid;
create index audit_entries_by_actor on audit_entries (actor_id, id);
create index audit_entries_by_account on audit_entries (account_id, id);
create index audit_entries_by_app on audit_entries (app_id, id);

create trigger audit_entries_never_change before update on audit_entries
begin
  select raise(abort, 'the audit log is only added to');
end;
create trigger audit_entries_never_go before delete on audit_entries
begin
  select raise(abort, 'the audit log is only added to');
end;
