-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, asset_placements, asset_search in access exclusive mode;

-- What the search before segments went by. Rows keep the marks of their eras, and the words of names by domain, until they
-- change: neither is sealed, and nobody looks for them.
drop index asset_search_words;
drop function assets_having(tsquery, text[], text[], timestamptz, text, integer);
drop function newest_having(tsquery, text[], text[], timestamptz, text, integer, integer);

create or replace function search_marks(p_asset assets) returns text[] language sql stable as $$
  select array_agg(distinct public.search_tag(p_asset.tenant_id) || mark order by public.search_tag(p_asset.tenant_id) || mark)
    from (
      select unnest(array[p.domain_id, p.information_type_id]) as mark from public.asset_placements p
       where p.tenant_id = p_asset.tenant_id and p.asset_id = p_asset.asset_id
      union all
      select unnest(array['label:' || p_asset.label_state, 'risk:' || p_asset.risk_severity])
    ) marks
   where mark is not null
$$;

create or replace function search_renamed() returns trigger language plpgsql as $$
begin
  update public.asset_search s
     set words = array_to_tsvector(public.name_lexemes(new) || array(
           select lexeme from unnest(s.words) where left(lexeme, 1) in ('#', '~')))
   where s.tenant_id = new.tenant_id and s.asset_id = new.asset_id;
  return null;
end
$$;

create or replace function search_placed() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_due record;
begin
  if not exists (select from placed) then
    return null;
  end if;
  for v_due in
    select (a.asset).tenant_id, (a.asset).asset_id, public.search_marks(a.asset) as marks
      from (select distinct tenant_id, asset_id from placed) d cross join lateral (
        select a as asset from public.assets a
         where a.tenant_id = d.tenant_id and a.asset_id = d.asset_id and a.status = 'active' offset 0) a
     order by d.tenant_id, d.asset_id
  loop
    update public.asset_search s set marks = v_due.marks
     where s.tenant_id = v_due.tenant_id and s.asset_id = v_due.asset_id and s.marks <> v_due.marks;
  end loop;
  return null;
end
$$;

create or replace function rebuild_search(p_tenant text, p_each integer default 4096) returns void language plpgsql as $$
begin
  lock table public.asset_search in exclusive mode;
  delete from public.asset_search where tenant_id = p_tenant;
  delete from public.search_segments where tenant_id = p_tenant;
  insert into public.asset_search (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at, public.search_marks(a), array_to_tsvector(public.name_lexemes(a))
    from public.assets a where a.tenant_id = p_tenant;
  perform public.seal_search(p_tenant, 2147483647, least(16384, 4 * p_each), 9223372036854775807);
end
$$;

drop function rebuild_search_eras(text, integer);
drop function words_in_domains(tsvector, text, text[]);
drop function domains_of(text, text);
drop function domain_tag(text, text);
drop table search_eras;
