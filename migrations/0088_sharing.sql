-- Files inherit access from their folders, and the feed of a source reports a shared folder without its files. The service
-- keeps what a folder was last seen to grant, and which folders have files whose permissions are to be read again.
-- Additive: the release before ignores the columns.

alter table source_folders
  -- A digest of who had access when the folder was last read; null until then.
  add column permissions_key text,
  -- How far it is shared, as a listing reported it; null until then.
  add column sharing_mark text,
  -- `changed`: the folders in it are to be compared. `in_changed`: it is to be compared. `reading`: the permissions of the
  -- files in it are to be read again. Null if nothing is to be done.
  add column sharing_state text;
alter table source_folders add constraint source_folders_sharing_state
  check (sharing_state in ('changed', 'in_changed', 'reading')) not valid;
create index source_folders_sharing on source_folders (tenant_id, scope_id, sharing_state, external_id)
  where sharing_state is not null;

-- How far an item is shared, as a listing reported it; null until then.
alter table assets add column sharing_mark text;
