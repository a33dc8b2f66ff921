-- The source family that a label of the catalog is of. Null: listed by an earlier release, and so of any.
alter table sensitivity_labels add column family text;
-- New words wait in a list and are sorted into the index together: one by one they were half of the WAL of a scan. A search
-- reads the list too, so it is short.
alter index asset_search_words set (fastupdate = on, gin_pending_list_limit = 1024);
