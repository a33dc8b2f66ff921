-- First, because it reads the table: the statements after it take short locks.
alter table source_folders validate constraint source_folders_sharing_state;

-- Search by segments goes, which no release in use calls, and so does the column `value`, which only release 26.11.26.0
-- reads: an index computes the value of a question.
drop trigger if exists asset_search_unsealed on asset_search;
drop function if exists search_unsealed();
drop function if exists seal_search(text, integer, integer, bigint);
drop function if exists write_search_postings(text, integer[]);
set local role svc_search;
drop function if exists find_assets(jsonb, text[], timestamptz, text, integer);
drop function if exists newest_found(jsonb, jsonb, text[], timestamptz, text, integer);
reset role;
alter table asset_search drop column segment, drop column slot;
drop table search_postings;
drop table search_segments;

alter table candidates drop column value;
drop function related_points(integer);
