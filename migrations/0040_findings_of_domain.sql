-- Assets of a domain that have something to be mended: few, so that their findings are put in order at once instead of
-- walking past those of the whole tenant.
create index asset_placements_open on asset_placements (tenant_id, domain_id, asset_id)
  where firmest and open_findings > 0;
