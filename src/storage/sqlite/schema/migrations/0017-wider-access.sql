-- Raised when the app may read more of a store than before. Stores that changed long ago are due then, and the sweep for
-- the latest changes does not find them: every process compares the endpoint.
alter table webhook_endpoints add column access_version integer not null default 0;
