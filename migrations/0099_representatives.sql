-- Questions about representatives of groups of assets about which nobody has been asked. Additive.

-- Few: at most 20 of each domain.
create index candidates_representatives on candidates (tenant_id, domain_id)
  where status = 'pending' and representative;

-- How far the sweep has looked through the assets of a tenant. It begins again at the end.
create table representative_walks (
  tenant_id text primary key,
  after_asset_id text not null
);
call protect_tenant_table('representative_walks');
grant select, insert, update on representative_walks to svc_app;
