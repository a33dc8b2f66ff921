-- The state of the fixture tenant, which the mock connector reads: in the database, so that every process sees it.

create table fixture_scopes (
  tenant_id text not null references tenants,
  external_id text collate "C" not null,
  name text not null,
  -- Number of the latest change in the scope.
  change_seq integer not null,
  -- Cursors of an earlier epoch are no longer known.
  cursor_epoch integer not null,
  primary key (tenant_id, external_id)
);

create table fixture_items (
  tenant_id text not null,
  scope_external_id text collate "C" not null,
  external_id text collate "C" not null,
  change_seq integer not null,
  deleted boolean not null,
  -- The rest of `FixtureItem`.
  item jsonb not null,
  primary key (tenant_id, scope_external_id, external_id),
  foreign key (tenant_id, scope_external_id) references fixture_scopes
);
create index fixture_items_changes on fixture_items (tenant_id, scope_external_id, change_seq);

call protect_tenant_table('fixture_scopes');
call protect_tenant_table('fixture_items');
grant select, insert, update on fixture_scopes, fixture_items to svc_app;
call open_to_provisioning('fixture_scopes');
call open_to_provisioning('fixture_items');
-- Seeding the fixture is the statement that also changes it.
grant update on fixture_scopes, fixture_items to svc_provision;
