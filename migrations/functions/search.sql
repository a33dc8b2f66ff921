-- Begins the words and marks of a tenant, so that those of others cost its searches nothing.
create or replace function search_tag(p_tenant text)
 returns text
 language sql
 immutable parallel safe
 set search_path to 'pg_catalog'
as $$
  select left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 4)
$$;

-- The row by which search finds each asset, from the asset, its placements and its features. Words and marks begin with
-- the tag of the tenant, since the index holds those of all tenants.
create or replace function index_assets(p_tenant text, p_assets text[])
 returns void
 language plpgsql
 set plan_cache_mode to 'force_generic_plan'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
as $$
declare
  v_tag text := public.search_tag(p_tenant);
begin
  insert into public.asset_search as s (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at,
         array(
           select distinct v_tag || mark from (
             select unnest(array[p.domain_id, p.information_type_id]) as mark from public.asset_placements p
              where p.tenant_id = a.tenant_id and p.asset_id = a.asset_id
             union all
             select unnest(array['label:' || a.label_state, 'risk:' || a.risk_severity])) marks
            where mark is not null order by 1),
         array_to_tsvector(
           array(select v_tag || word from unnest(public.search_words(concat_ws(' ', a.name, a.path, a.format))) as word)
           || coalesce((
                select search_lexemes from public.asset_features f where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
              ), array(
                select lexeme from public.asset_search k cross join unnest(k.words)
                 where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and left(lexeme, 1) in ('#', '~'))))
    from unnest(p_assets) as due (asset_id)
   cross join lateral (
     select * from public.assets where tenant_id = p_tenant and asset_id = due.asset_id offset 0) a
  on conflict (tenant_id, asset_id) do update
    set active = excluded.active, changed_at = excluded.changed_at, marks = excluded.marks, words = excluded.words
  where (s.active, s.changed_at, s.marks, s.words)
        is distinct from (excluded.active, excluded.changed_at, excluded.marks, excluded.words);
end
$$;

grant create on schema public to svc_search;
set local role svc_search;
-- The newest assets of the tenant that hold what one of the ways asks for, and all the marks of p_all. A way is a query of
-- words, or '' for none, and marks one of which is needed, or null. Row-level security keeps `@@` from using an index: the
-- function checks the tenant itself, and its caller decides what the reader may see.
create or replace function assets_having(p_ways jsonb, p_all text[], p_after timestamp with time zone, p_after_id text, p_most integer)
 returns setof text
 language plpgsql
 stable security definer
 set search_path to 'pg_catalog', 'pg_temp'
 set jit to 'off'
 set enable_seqscan to 'off'
 set work_mem to '32MB'
as $$
declare
  v_way pg_catalog.record;
  v_found pg_catalog.text[] := '{}';
  v_some pg_catalog.text[];
begin
  for v_way in select * from pg_catalog.jsonb_to_recordset(p_ways) as way (query pg_catalog.text, "any" pg_catalog.text[]) loop
    -- By the index of words and marks and no other, so without the tenant. An empty condition would read the whole index.
    execute pg_catalog.format(
      'select pg_catalog.array_agg(asset_id) from (
         select asset_id from (select * from public.asset_search where active %s %s %s offset 0) held
          where tenant_id = $4 and ($5 is null or (changed_at, asset_id) < ($5, $6))
          order by changed_at desc, asset_id desc limit $7) newest',
      case when v_way.query <> '' then 'and words @@ $1::pg_catalog.tsquery' end,
      case when v_way."any" is not null then 'and marks && $2' end,
      case when p_all <> '{}' then 'and marks @> $3' end)
      into v_some
      using v_way.query, v_way."any", p_all, pg_catalog.current_setting('svc.tenant_id', true), p_after, p_after_id, p_most;
    v_found := v_found || v_some;
  end loop;
  return query
  select s.asset_id from public.asset_search s
   where s.tenant_id = pg_catalog.current_setting('svc.tenant_id', true) and s.asset_id = any(v_found)
   order by s.changed_at desc, s.asset_id desc limit p_most;
end
$$;
revoke all on function assets_having(jsonb, text[], timestamptz, text, integer) from public;
grant execute on function assets_having(jsonb, text[], timestamptz, text, integer) to svc_app;
reset role;
revoke create on schema public from svc_search;

grant create on schema public to svc_search;
set local role svc_search;
create or replace function assets_matching(p_term text, p_anywhere boolean, p_most integer)
 returns setof text
 language plpgsql
 stable security definer
 set search_path to 'pg_catalog', 'pg_temp'
 set plan_cache_mode to 'force_generic_plan'
as $$
declare
  v_pattern pg_catalog.text := pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(p_term, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_tenant pg_catalog.text := pg_catalog.current_setting('svc.tenant_id', true);
begin
  if p_anywhere then
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active'
        and pg_catalog.lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')) like '%' || v_pattern
      limit p_most;
  else
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active' and pg_catalog.lower(a.name) like v_pattern
        and pg_catalog.lower(pg_catalog.left(a.name, 32)) ~>=~ pg_catalog.left(p_term, 32)
        and pg_catalog.lower(pg_catalog.left(a.name, 32)) ~<~ (pg_catalog.left(p_term, 32) || U&'\+10FFFF')
      limit p_most;
  end if;
end
$$;
revoke all on function assets_matching(text, boolean, integer) from public;
grant execute on function assets_matching(text, boolean, integer) to svc_app;
reset role;
revoke create on schema public from svc_search;

-- Writes the rows of a tenant again, after its assets were written without the triggers.
create or replace function rebuild_search(p_tenant text, p_each integer default 4096)
 returns void
 language plpgsql
as $$
declare
  v_assets text[];
  v_after text := '';
begin
  loop
    v_assets := array(select asset_id from public.assets where tenant_id = p_tenant and asset_id > v_after
                       order by asset_id limit p_each);
    exit when v_assets = '{}';
    perform public.index_assets(p_tenant, v_assets);
    v_after := v_assets[cardinality(v_assets)];
  end loop;
end
$$;
revoke all on function rebuild_search(text, integer) from public;
