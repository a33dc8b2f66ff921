-- Suppressions: rules that say what is no identifier (ADR 20). They change what is made of signals, never the signals.

-- One random key for each tenant, for the fingerprints of values. Nothing else reads this table.
create table fingerprint_keys (
  tenant_id text primary key references tenants,
  key bytea not null constraint fingerprint_keys_length check (octet_length(key) = 32),
  created_at timestamptz not null
);

-- The version of a tenant's set of active rules. It rises when a rule comes into force or ends.
create table suppression_sets (
  tenant_id text primary key references tenants,
  version integer not null
);

create table suppressions (
  tenant_id text not null references tenants,
  suppression_id text not null,
  kind text not null,
  detector_id text not null constraint suppressions_detector check (char_length(detector_id) between 1 and 100),
  -- The rule applies to assets of this domain alone; null: to the whole tenant.
  domain_id text,
  scope_id text,
  -- A folder of the scope with all folders in it; null: the whole scope.
  folder text constraint suppressions_folder check (char_length(folder) between 1 and 1000),
  -- The example of a template, and what it is compared by. The copy keeps the rule the same when the example changes.
  example_asset_id text,
  shingles bytea,
  template bytea,
  bands integer[],
  -- The fingerprint of the value. The value itself is stored nowhere.
  fingerprint text constraint suppressions_fingerprint check (fingerprint ~ '^[0-9a-f]{10}$'),
  reason text not null constraint suppressions_reason check (char_length(reason) between 1 and 500),
  status text not null constraint suppressions_status
    check (status in ('proposed', 'active', 'rejected', 'revoked', 'expired')),
  needs_approval boolean not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  -- Who approved or rejected it.
  decided_by text,
  decided_at timestamptz,
  -- Who revoked it; null if it expired.
  ended_by text,
  ended_at timestamptz,
  -- The versions of the set of rules with which it came into force and ended.
  from_version integer,
  until_version integer,
  primary key (tenant_id, suppression_id),
  foreign key (tenant_id, domain_id) references domains,
  foreign key (tenant_id, scope_id) references scopes,
  foreign key (tenant_id, example_asset_id) references assets,
  foreign key (tenant_id, proposed_by) references principals,
  foreign key (tenant_id, decided_by) references principals,
  foreign key (tenant_id, ended_by) references principals,
  constraint suppressions_kind check (
    case kind
      when 'detector_in_scope' then scope_id is not null and num_nonnulls(example_asset_id, bands, fingerprint) = 0
      when 'template' then num_nulls(example_asset_id, bands) = 0 and num_nonnulls(shingles, template) > 0
                           and num_nonnulls(scope_id, folder, fingerprint) = 0
      when 'value' then fingerprint is not null and num_nonnulls(scope_id, folder, example_asset_id, bands) = 0
      else false
    end),
  -- Another person than the one who proposed it. A rule of the whole tenant always needs one.
  constraint suppressions_second_person check (decided_by <> proposed_by),
  constraint suppressions_tenant_wide check (domain_id is not null or needs_approval),
  constraint suppressions_approved check (from_version is null or not needs_approval or decided_by is not null),
  constraint suppressions_decided check ((decided_by is null) = (decided_at is null)),
  constraint suppressions_in_force check (
    case status
      when 'proposed' then num_nonnulls(decided_by, from_version, ended_at) = 0
      when 'active' then from_version is not null and ended_at is null
      when 'rejected' then decided_by is not null and num_nonnulls(from_version, ended_at) = 0
      else ended_at is not null
    end),
  constraint suppressions_versions check (
    (until_version is not null) = (from_version is not null and ended_at is not null) and until_version > from_version),
  constraint suppressions_expiry check (expires_at > proposed_at)
);
create unique index suppressions_once
  on suppressions (tenant_id, kind, detector_id, domain_id, scope_id, folder, example_asset_id, fingerprint)
  nulls not distinct where status in ('proposed', 'active');
create index suppressions_newest on suppressions (tenant_id, proposed_at desc, suppression_id desc);
create index suppressions_expiring on suppressions (expires_at) where status in ('proposed', 'active');

-- What counts of the signals of an asset, where it is not all of them.
create table asset_suppressions (
  tenant_id text not null,
  asset_id text not null,
  -- The signals that remain, in the form of asset_features.features -> 'signals'.
  signals jsonb not null,
  -- [{ "suppressionId", "domainId", "detectorId", "removed", "remaining" }]
  suppressed jsonb not null constraint asset_suppressions_not_empty check (jsonb_array_length(suppressed) > 0),
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets
);

call protect_tenant_table('fingerprint_keys');
call protect_tenant_table('suppression_sets');
call protect_tenant_table('suppressions');
call protect_tenant_table('asset_suppressions');
grant select, insert on fingerprint_keys to svc_app;
grant select, insert, update on suppression_sets to svc_app;
grant select, insert on suppressions to svc_app;
-- What a rule says never changes. To change it, revoke it and make another one.
grant update (status, decided_by, decided_at, ended_by, ended_at, from_version, until_version) on suppressions to svc_app;
grant select, insert, update, delete on asset_suppressions to svc_app;

-- The engine looks for tenants with rules that have expired.
grant select (tenant_id, status, expires_at) on suppressions to svc_engine;
create policy engine on suppressions for select to svc_engine using (true);

--! include functions/suppressions.sql
create or replace trigger suppressions_transition after update on suppressions
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'active>expired active>revoked proposed>active proposed>expired proposed>rejected proposed>revoked');
--! end functions/suppressions.sql
