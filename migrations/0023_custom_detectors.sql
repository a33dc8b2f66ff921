-- Detectors that a tenant declares for itself. Each change of one is a further version; nothing of an old one is lost.

create table custom_detectors (
  tenant_id text not null references tenants,
  detector_id text not null constraint custom_detectors_id_shape check (detector_id ~ '^custom_'),
  version integer not null,
  -- The version that scans use; null while it is switched off. It stays when a newer one is written, until that is enabled.
  enabled_version integer,
  -- The newest version that was run dry over what is retained, which comes before it is enabled.
  dry_run_version integer,
  updated_at timestamptz not null,
  primary key (tenant_id, detector_id),
  constraint custom_detectors_tried check (enabled_version is null or enabled_version <= dry_run_version)
);

create table custom_detector_versions (
  tenant_id text not null,
  detector_id text not null,
  version integer not null,
  -- { "title", "pattern", "context", "contextRequired", "checksum", "examples" }
  definition jsonb not null,
  principal_id text not null,
  created_at timestamptz not null,
  primary key (tenant_id, detector_id, version),
  foreign key (tenant_id, detector_id) references custom_detectors,
  foreign key (tenant_id, principal_id) references principals
);
alter table custom_detectors add constraint custom_detectors_enabled
  foreign key (tenant_id, detector_id, enabled_version) references custom_detector_versions;

call protect_tenant_table('custom_detectors');
call protect_tenant_table('custom_detector_versions');
grant select, insert, update on custom_detectors to svc_app;
grant select, insert on custom_detector_versions to svc_app;

-- The dry run reads the newest excerpts.
create index asset_features_excerpts on asset_features (tenant_id, computed_at desc, asset_id)
  where excerpts <> '[]'::jsonb;
