-- The platform's name, accent colour (#rrggbb) and support address: at most one row, with a null for each default.
create table brand (
  key text primary key,
  name text,
  accent text,
  support text,
  logo text
) strict, without rowid;

-- The images of apps, by the app's id, and of the platform (`platform`). `content` is Base64, because a copy of the
-- database to another engine moves every column as text.
create table logos (
  owner_id text primary key,
  version text not null,
  type text not null,
  content text not null
) strict, without rowid;

-- The version of the app's logo, as in `brand`: a page with many apps needs no read of the images.
alter table apps add column logo text;
