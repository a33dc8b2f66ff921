-- Lists look up some hundred assets by their ids at a time. A hash finds one in a third of the time that the tree of the
-- primary key takes, whose keys all begin alike.
create index assets_by_id on assets using hash (asset_id);
create index asset_placements_by_asset on asset_placements using hash (asset_id);
create index asset_search_by_asset on asset_search using hash (asset_id);

-- What is frequent is met by a walk through the list itself; this is for all else.
grant create on schema public to svc_search;
set local role svc_search;
create or replace function assets_having(
  p_query tsquery, p_any text[], p_all text[], p_after timestamptz, p_after_id text, p_limit integer
) returns setof text language plpgsql stable security definer
set search_path = pg_catalog, public set plan_cache_mode = force_custom_plan set enable_seqscan = off set jit = off as $$
declare
  v_tenant text := current_setting('svc.tenant_id', true);
begin
  return query
  -- Apart, so that no index is walked for the sake of the order.
  select f.asset_id from (
    select s.asset_id, s.changed_at from public.asset_search s
     where s.tenant_id = v_tenant and s.active
       and (p_after is null or (s.changed_at, s.asset_id) < (p_after, p_after_id))
       and (numnode(p_query) = 0 or s.words @@ p_query)
       and (p_any is null or s.marks && p_any)
       and (p_all = '{}' or s.marks @> p_all)
    offset 0) f
   order by f.changed_at desc, f.asset_id desc limit p_limit;
end
$$;
reset role;
revoke create on schema public from svc_search;

-- A change of the moment alone is in no index any more, and writes none.
drop index asset_search_changed;
