-- How much of a risk an asset is, and the findings that follow from it.

-- The labels of a source, so that one can be told to be weaker than another.
create table sensitivity_labels (
  tenant_id text not null references tenants,
  label_guid text not null,
  name text not null,
  -- From 0, the weakest.
  rank smallint not null constraint sensitivity_labels_rank check (rank >= 0),
  updated_at timestamptz not null,
  primary key (tenant_id, label_guid)
);

-- The most severe of its risk components; null where there are none. Kept by `asset_risks`' writer alone.
alter table assets add column risk_severity text constraint assets_risk_severity
  check (risk_severity in ('low', 'medium', 'high', 'critical'));
create index assets_risk on assets (tenant_id, risk_severity, last_seen_at desc, asset_id desc)
  where status = 'active' and risk_severity is not null;

create table asset_risks (
  tenant_id text not null,
  asset_id text not null,
  -- [{ "name", "severity", "notes" }], none of it a name or a value of the asset.
  components jsonb not null,
  policy_version text not null,
  computed_at timestamptz not null,
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets
);

create table findings (
  tenant_id text not null,
  finding_id text not null,
  asset_id text not null,
  kind text not null constraint findings_kind
    check (kind in ('exposure', 'label', 'location', 'unmanaged_copy', 'stale_access')),
  severity text not null constraint findings_severity check (severity in ('low', 'medium', 'high', 'critical')),
  severity_rank smallint generated always as (
    case severity when 'critical' then 3 when 'high' then 2 when 'medium' then 1 else 0 end) stored,
  status text not null constraint findings_status check (status in ('open', 'acknowledged', 'reopened', 'resolved')),
  notes text not null,
  policy_version text not null,
  opened_at timestamptz not null,
  -- When it took its present status, severity or notes.
  changed_at timestamptz not null,
  resolved_at timestamptz,
  -- Raised by every change.
  revision integer not null default 0,
  primary key (tenant_id, finding_id),
  constraint findings_once unique (tenant_id, asset_id, kind),
  constraint findings_resolution check ((status = 'resolved') = (resolved_at is not null)),
  foreign key (tenant_id, asset_id) references assets
);
create index findings_unresolved on findings (tenant_id, severity_rank desc, opened_at desc, finding_id desc)
  where status <> 'resolved';
create index findings_status on findings (tenant_id, status, severity_rank desc, opened_at desc, finding_id desc);
create index findings_all on findings (tenant_id, severity_rank desc, opened_at desc, finding_id desc);

call protect_tenant_table('sensitivity_labels');
call protect_tenant_table('asset_risks');
call protect_tenant_table('findings');
grant select, insert, update, delete on sensitivity_labels to svc_app;
grant select, insert, update on asset_risks, findings to svc_app;

-- What is gone has nothing that could be mended, however it went. Its risk stays with it, in case it comes back.
create function settle_deleted_asset() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  update public.findings
     set status = 'resolved', resolved_at = now(), changed_at = now(), revision = revision + 1
   where tenant_id = new.tenant_id and asset_id = new.asset_id and status <> 'resolved';
  return null;
end
$$;
create trigger assets_deleted after update of status on assets
  for each row when (new.status = 'deleted' and old.status <> 'deleted') execute function settle_deleted_asset();
