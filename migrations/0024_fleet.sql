-- The fleet: the processes that lease units, for all tenants of the deployment.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table work_units in access exclusive mode;

-- No tenant owns it, and no request reads more of it than it takes to drain a scanner.
create table scanners (
  scanner_id text primary key constraint scanners_id_shape check (scanner_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  display_name text not null,
  host text not null,
  capabilities text[] not null default '{m365}',
  version text not null,
  draining boolean not null default false,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  processed bigint not null default 0,
  failed bigint not null default 0
);
create index scanners_heartbeat on scanners (heartbeat_at desc, scanner_id);

grant select, insert, update, delete on scanners to svc_engine;
grant select (scanner_id, heartbeat_at, draining), update (draining) on scanners to svc_app;

-- A unit that was taken over is pending and keeps the end of the lease that it lost, which tells it from one that
-- never had a holder: the orphans are all those whose `lease_expires_at` has passed, leased or pending.
create index work_units_lease_end on work_units (lease_expires_at) where lease_expires_at is not null;
-- Serves every statement that this one served, those of the release before too.
drop index work_units_expiring;

-- A process that does not migrate sees whether somebody did.
grant select (name) on schema_migrations to svc_engine;
