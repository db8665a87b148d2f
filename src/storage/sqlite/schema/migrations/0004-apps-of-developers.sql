-- A developer may switch off an app of their own, and on again; what the operator switched off is not theirs to undo.
alter table apps add column disabled_by_owner integer not null default 0 check (disabled_by_owner in (0, 1));
create index apps_by_owner on apps (owner_id, created_at, id);
