-- What an authorization covers: an app may get scopes later, and merchants allow them when they connect it again. Until
-- now scopes were fixed, so every authorization covers those of its app. The default is for nodes that run the previous
-- version meanwhile.
alter table authorization_stores add column scope text not null
  default 'integration.store integration.order integration.inventory';

update authorizations set scope = (
  select iif(apps.public, 'integration.store', apps.scope) from apps where apps.id = authorizations.app_id);
update authorization_stores set scope = (
  select iif(apps.public, 'integration.store', apps.scope) from apps where apps.id = authorization_stores.app_id)
where app_id in (select id from apps);
