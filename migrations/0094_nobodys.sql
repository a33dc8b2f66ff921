-- The newest refusals. Governance reads them for the assets that nobody has taken so far. Additive.
create index candidates_refused on candidates (tenant_id, updated_at desc, asset_id)
  where status = 'rejected' and asset_active;
