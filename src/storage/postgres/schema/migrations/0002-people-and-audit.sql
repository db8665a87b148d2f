alter table apps add column website text;
alter table apps add column publisher text;

-- What the operator turns on and off while the server runs.
create table switches (
  name text collate "C" primary key,
  is_on boolean not null
);

-- No foreign keys: an entry tells what was, whatever became of it.
create table audit_entries (
  id text collate "C" primary key,
  at bigint not null,
  action text not null,
  actor_kind text not null,
  actor_id text collate "C",
  actor_name text,
  account_id text collate "C",
  app_id text collate "C",
  store_ids text not null, -- with commas between them
  detail text,
  address text,
  request_id text
);
create index audit_entries_by_actor on audit_entries (actor_id, id);
create index audit_entries_by_account on audit_entries (account_id, id);
create index audit_entries_by_app on audit_entries (app_id, id);

-- The table stays on the coordinator of Citus, where triggers are as anywhere.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to';
end
$$;
create trigger audit_entries_never_change before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_never_go before truncate on audit_entries
  for each statement execute function refuse_audit_change();
