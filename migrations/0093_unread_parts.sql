-- How many pages and files inside an asset were not read, and the list of assets by content state. Additive: the release
-- before leaves the columns null. A small part of the assets is in the index.

alter table assets add column unread_parts integer;
alter table asset_versions add column unread_parts integer;

create index assets_changed_content on assets (tenant_id, content_state, changed_at desc, asset_id desc)
  where status = 'active' and content_state <> 'available';
