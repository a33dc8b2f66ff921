-- Connected sources, campaigns, work units, dead letters.

create table connector_instances (
  tenant_id text not null references tenants,
  connector_instance_id text not null,
  family text not null,
  mode text not null constraint connector_instances_mode check (mode in ('mock', 'live')),
  created_at timestamptz not null,
  primary key (tenant_id, connector_instance_id),
  constraint connector_instances_family unique (tenant_id, family)
);

create table scopes (
  tenant_id text not null,
  scope_id text not null,
  connector_instance_id text not null,
  family text not null,
  external_id text not null,
  name text not null,
  kind text not null,
  -- False once the configuration no longer selects it; its assets stay until somebody reconciles them.
  selected boolean not null default true,
  coverage_state text constraint scopes_coverage check (coverage_state in ('baseline', 'delta', 'stale')),
  delta_cursor text,
  delta_cursor_status text not null default 'none'
    constraint scopes_cursor_status check (delta_cursor_status in ('none', 'valid', 'resync_required')),
  delta_cursor_at timestamptz,
  expected_domain_id text,
  -- Moves in the statement that adds or removes an asset.
  asset_count integer not null default 0,
  created_at timestamptz not null,
  primary key (tenant_id, scope_id),
  constraint scopes_external unique (tenant_id, connector_instance_id, external_id),
  foreign key (tenant_id, connector_instance_id) references connector_instances,
  constraint scopes_expected_domain_fkey foreign key (tenant_id, expected_domain_id) references domains
);
create index scopes_expected_domain on scopes (tenant_id, expected_domain_id);

create table campaigns (
  tenant_id text not null references tenants,
  campaign_id text not null,
  scope_id text,
  kind text not null constraint campaigns_kind check (kind in ('inventory', 'delta', 'rescore')),
  status text not null default 'pending'
    constraint campaigns_status check (status in ('pending', 'running', 'paused', 'completed', 'cancelled')),
  created_by text,
  correlation_id text not null,
  -- Maintained with enqueue and settle; pending and leased units are what is left of the total.
  units_total integer not null default 0,
  units_completed integer not null default 0,
  units_dead integer not null default 0,
  units_cancelled integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (tenant_id, campaign_id),
  constraint campaigns_scope_of_kind check ((kind = 'rescore') = (scope_id is null)),
  foreign key (tenant_id, scope_id) references scopes
);
create unique index campaigns_active_scope on campaigns (tenant_id, scope_id)
  where status in ('pending', 'running', 'paused');
create index campaigns_recent on campaigns (tenant_id, created_at desc, campaign_id desc);

create table campaign_stage_counts (
  tenant_id text not null,
  campaign_id text not null,
  stage text not null constraint campaign_stage_counts_stage
    check (stage in ('observe', 'permissions', 'labels', 'content', 'features', 'inference')),
  outcome text not null constraint campaign_stage_counts_outcome
    check (outcome in ('computed', 'cache_hit', 'skipped', 'failed')),
  count integer not null,
  primary key (tenant_id, campaign_id, stage, outcome),
  foreign key (tenant_id, campaign_id) references campaigns
);

create table work_units (
  unit_id bigint primary key generated always as identity,
  tenant_id text not null,
  campaign_id text not null,
  kind text not null constraint work_units_kind
    check (kind in ('inventory_page', 'delta_run', 'process_asset', 'rescore_asset')),
  logical_key text not null,
  payload jsonb not null,
  -- `failed` exists for compatibility and is never written.
  status text not null default 'pending' constraint work_units_status
    check (status in ('pending', 'leased', 'completed', 'failed', 'dead', 'cancelled')),
  attempt integer not null default 0,
  max_attempts integer not null default 4 constraint work_units_max_attempts check (max_attempts between 1 and 20),
  run_after timestamptz not null,
  lease_owner text,
  lease_expires_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  constraint work_units_once unique (tenant_id, campaign_id, logical_key),
  constraint work_units_lease check ((status = 'leased') = (lease_owner is not null and lease_expires_at is not null)),
  foreign key (tenant_id, campaign_id) references campaigns
);
-- What leasing and the doorbell sweep look at, and nothing else: settled units are in neither.
create index work_units_due on work_units (tenant_id, campaign_id, run_after, unit_id) where status = 'pending';
create index work_units_expiring on work_units (lease_expires_at) where status = 'leased';
create index work_units_open on work_units (tenant_id, campaign_id, status) where status in ('pending', 'leased');

create table dead_letters (
  tenant_id text not null,
  dead_letter_id text not null,
  campaign_id text not null,
  unit_id bigint not null references work_units,
  retry_class text not null constraint dead_letters_class check (retry_class in (
    'transient', 'throttled', 'auth', 'unsupported', 'corrupt', 'policy_denied', 'permanent')),
  safe_diagnostic text not null constraint dead_letters_diagnostic check (safe_diagnostic ~ '^[A-Za-z0-9_.:-]{1,120}$'),
  attempt integer not null,
  created_at timestamptz not null,
  primary key (tenant_id, dead_letter_id),
  foreign key (tenant_id, campaign_id) references campaigns
);
create index dead_letters_campaign on dead_letters (tenant_id, campaign_id, created_at desc);
create index dead_letters_unit on dead_letters (unit_id);

call protect_tenant_table('connector_instances');
call protect_tenant_table('scopes');
call protect_tenant_table('campaigns');
call protect_tenant_table('campaign_stage_counts');
call protect_tenant_table('work_units');
call protect_tenant_table('dead_letters');

grant select, insert, update on connector_instances, scopes to svc_app;
-- A handler holds its unit `for share` while it writes, which takes the right to update some column.
grant select, insert, update (payload) on work_units to svc_app;
grant select, insert, update (units_total) on campaigns to svc_app;
grant select on campaign_stage_counts, dead_letters to svc_app;

create policy engine on scopes for select to svc_engine using (true);
create policy engine on campaigns to svc_engine using (true);
create policy engine on campaign_stage_counts to svc_engine using (true);
create policy engine on work_units to svc_engine using (true);
create policy engine on dead_letters to svc_engine using (true);
grant select on scopes to svc_engine;
grant select, update (status, started_at, finished_at, units_completed, units_dead, units_cancelled) on campaigns to svc_engine;
grant select, update (status, attempt, run_after, lease_owner, lease_expires_at, settled_at) on work_units to svc_engine;
grant select, insert, update on campaign_stage_counts to svc_engine;
grant select, insert on dead_letters to svc_engine;
