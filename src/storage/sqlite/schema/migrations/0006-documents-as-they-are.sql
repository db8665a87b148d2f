-- SQLite stores documents as they are; this number is PostgreSQL's.
select 1;
