-- Citus spreads secrets by their app, and a key of such a table holds the column it is spread by.
alter table app_secrets drop constraint app_secrets_pkey;
alter table app_secrets add primary key (app_id, id);
