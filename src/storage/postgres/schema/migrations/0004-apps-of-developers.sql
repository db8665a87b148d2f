-- A developer may switch off an app of their own, and on again; what the operator switched off is not theirs to undo.
alter table apps add column disabled_by_owner boolean not null default false;
create index apps_by_owner on apps (owner_id, created_at, id);
