-- The same key as in PostgreSQL; a copy between the engines reads and writes by it.
create table app_secrets_by_key (
  id text not null,
  app_id text not null references apps (id),
  hash text not null,
  created_at integer not null,
  last_used_at integer,
  primary key (app_id, id)
) strict, without rowid;
insert into app_secrets_by_key (id, app_id, hash, created_at, last_used_at)
  select id, app_id, hash, created_at, last_used_at from app_secrets;
drop table app_secrets;
alter table app_secrets_by_key rename to app_secrets;
create index app_secrets_by_app on app_secrets (app_id, created_at, id);
