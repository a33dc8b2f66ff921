-- What a delta needs to know of a scope beyond its cursor.

-- The tenant's config version when the last scan that looked at every asset of the scope began; null before one has
-- said so, which tells nothing.
alter table scopes add column config_version integer;

-- Assets that a delta by comparison met unchanged, page by page, so that it holds no listing in memory and rewrites no
-- asset only to mark it. Emptied when it ends, or when the next one of the scope begins.
create table delta_listings (
  tenant_id text not null,
  scope_id text not null,
  campaign_id text not null,
  page integer not null,
  asset_ids text[] not null,
  primary key (tenant_id, scope_id, page),
  foreign key (tenant_id, scope_id) references scopes
);
call protect_tenant_table('delta_listings');
grant select, insert, delete on delta_listings to svc_app;
