-- Which assets a domain's candidates tie to it: what a domain-scoped reader may see.
create index candidates_tying on candidates (tenant_id, domain_id, asset_id)
  where status in ('pending', 'deferred', 'confirmed');
-- Likewise the scopes: those in which a domain has any are found without reading the rest.
create index candidates_scopes on candidates (tenant_id, scope_id, domain_id, asset_id)
  where status in ('pending', 'deferred', 'confirmed');

-- Who sent an asset to a domain.
create index decisions_routed on decisions (tenant_id, asset_id, routed_domain_id) where routed_domain_id is not null;
