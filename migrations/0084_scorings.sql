-- The last scoring of an asset. A scoring with the result of the one before stores no inferences: it is noted here.
-- Additive.

create table asset_scorings (
  tenant_id text not null,
  asset_id text not null,
  -- A digest of what the scoring depended on.
  scored_key text not null,
  -- The key of the inferences with its result: that of this scoring, or of an earlier one with the same result. A worker
  -- of the release before writes stage_keys alone, so this row holds only while both name the same key.
  inference_key text not null,
  -- A digest of the inferences and of what is asked because of them.
  result_key text not null,
  ensemble_version integer not null,
  scored_at timestamptz not null,
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets,
  foreign key (tenant_id, ensemble_version) references ensembles
);
call protect_tenant_table('asset_scorings');
grant select, insert, update, delete on asset_scorings to svc_app;
