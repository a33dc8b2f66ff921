-- Folders of sources whose items name their folder by id. A renamed folder reports itself and none of its items, so the
-- service keeps the folders and derives the paths of items from them.
create table source_folders (
  tenant_id text not null,
  scope_id text not null,
  external_id text not null,
  parent_external_id text,
  name text not null,
  -- From the top of the scope, '' for the top itself; null until the folder was placed.
  path text,
  -- `named`: its path is to be computed. `placed`: its items are to get it. `gone`: its items are to be deleted.
  state text not null default 'named' check (state in ('named', 'placed', 'settled', 'gone')),
  seen_campaign_id text,
  primary key (tenant_id, scope_id, external_id),
  foreign key (tenant_id, scope_id) references scopes,
  constraint source_folders_have_a_path check (state in ('named', 'gone') or path is not null)
);
create index source_folders_parent on source_folders (tenant_id, scope_id, parent_external_id);
create index source_folders_unsettled on source_folders (tenant_id, scope_id, state, external_id) where state <> 'settled';
call protect_tenant_table('source_folders');
grant select, insert, update, delete on source_folders to svc_app;

alter table assets add column parent_external_id text;
create index assets_parent on assets (tenant_id, scope_id, parent_external_id) where parent_external_id is not null;
