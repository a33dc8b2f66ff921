-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, asset_placements, asset_search in access exclusive mode;

-- Since when the assets of an era changed last, some thousands in each. The era is a mark of each of them, so that a search
-- is kept to the newest eras where enough is found there: posting lists are read in the order of rows, and rows of one era,
-- written one after the other, let it skip nearly all that the words are in.
create table search_eras (
  tenant_id text not null references tenants,
  -- 0 is what changed before the first one.
  era integer not null constraint search_eras_counted check (era > 0),
  since timestamptz(3) not null,
  primary key (tenant_id, era),
  unique (tenant_id, since)
);
call protect_tenant_table('search_eras');
grant select, insert on search_eras to svc_app;
create policy search_read on search_eras for select to svc_search using (true);
grant select on search_eras to svc_search;

create or replace function search_marks(p_asset assets) returns text[] language sql stable as $$
  select array_agg(distinct public.search_tag(p_asset.tenant_id) || mark order by public.search_tag(p_asset.tenant_id) || mark)
    from (
      select unnest(array[p.domain_id, p.information_type_id]) as mark from public.asset_placements p
       where p.tenant_id = p_asset.tenant_id and p.asset_id = p_asset.asset_id
      union all
      select unnest(array['label:' || p_asset.label_state, 'risk:' || p_asset.risk_severity])
      union all
      select 'era:' || coalesce((
        select e.era from public.search_eras e
         where e.tenant_id = p_asset.tenant_id and e.since <= p_asset.changed_at
         order by e.since desc limit 1), 0)
    ) marks
   where mark is not null
$$;

-- Eras of what a tenant has, of p_each assets or somewhat more. Marks are left as they are.
create function rebuild_search_eras(p_tenant text, p_each integer) returns void language sql as $$
  delete from public.search_eras where tenant_id = p_tenant;
  insert into public.search_eras (tenant_id, era, since)
  select p_tenant, row_number() over (order by changed_at), changed_at
    from (select distinct changed_at from (
            select a.changed_at, row_number() over (order by a.changed_at, a.asset_id) as place
              from public.assets a where a.tenant_id = p_tenant and a.status = 'active') placed
           where place % p_each = 0) since
$$;

drop function rebuild_search(text);
create function rebuild_search(p_tenant text, p_each integer default 4096) returns void language sql as $$
  lock table public.asset_search in exclusive mode;
  select public.rebuild_search_eras(p_tenant, p_each);
  delete from public.asset_search where tenant_id = p_tenant;
  insert into public.asset_search (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at, public.search_marks(a),
         public.words_in_domains(array_to_tsvector(public.name_lexemes(a)), a.tenant_id, public.domains_of(a.tenant_id, a.asset_id))
    from public.assets a where a.tenant_id = p_tenant
$$;

-- What there is already, while there are few indexes to write. The owner of the tables is bound by their policies, and
-- has none.
drop index asset_search_words;
alter table assets no force row level security;
alter table asset_search no force row level security;
alter table search_eras no force row level security;
select rebuild_search_eras(tenant_id, 4096) from (select distinct tenant_id from assets) having_some;
update asset_search s
   set marks = array(select unnest(s.marks || (search_tag(s.tenant_id) || 'era:' || coalesce((
         select e.era from search_eras e where e.tenant_id = s.tenant_id and e.since <= s.changed_at
          order by e.since desc limit 1), 0))) order by 1);
alter table assets force row level security;
alter table asset_search force row level security;
alter table search_eras force row level security;
-- Words first: marks are then looked up for what has the words alone.
create index asset_search_words on asset_search using gin (words, marks) with (gin_pending_list_limit = 1024);

-- The p_limit active assets that changed last, and when, after a place where one is given, that have the words of p_query,
-- where it is not empty, one of p_any, where they are not null, and all of p_all. Of the newest eras first, of
-- so many that they hold some hundreds of the reader's p_reach assets (null: all of the tenant), then by how many are
-- found there of as many more as should do; or of all, where those are many: each is looked up, with or without assets.
grant create on schema public to svc_search;
set local role svc_search;
create function newest_having(
  p_query tsquery, p_any text[], p_all text[], p_after timestamptz, p_after_id text, p_limit integer,
  p_reach integer
) returns table (asset_id text, changed_at timestamptz) language plpgsql stable security definer
set search_path = pg_catalog, public set plan_cache_mode = force_custom_plan set enable_seqscan = off set jit = off as $$
declare
  v_tenant text := current_setting('svc.tenant_id', true);
  v_last integer := coalesce((
    select max(era) from public.search_eras where tenant_id = v_tenant and (p_after is null or since <= p_after)), 0);
  -- The newest may have just begun.
  v_eras integer := 1 + coalesce(ceil(400.0 * v_last / nullif(p_reach, 0)), 1);
  v_recent text[];
  v_found record;
begin
  loop
    v_recent := case when v_eras <= least(v_last / 3, 500) then array(
      select public.search_tag(v_tenant) || 'era:' || era from generate_series(v_last - v_eras + 1, v_last) as era) end;
    -- Apart, so that no index is walked for the sake of the order.
    select array_agg(n.asset_id) as ids, array_agg(n.changed_at) as moments, count(*) as many into v_found from (
      select f.asset_id, f.changed_at from (
        select s.asset_id, s.changed_at from public.asset_search s
         where s.tenant_id = v_tenant and s.active
           and (p_after is null or (s.changed_at, s.asset_id) < (p_after, p_after_id))
           and (v_recent is null or s.marks && v_recent)
           and (numnode(p_query) = 0 or s.words @@ p_query)
           and (p_any is null or s.marks && p_any)
           and (p_all = '{}' or s.marks @> p_all)
        offset 0) f
       order by f.changed_at desc, f.asset_id desc limit p_limit) n;
    exit when v_recent is null or v_found.many = p_limit;
    v_eras := case when v_found.many = 0 then v_last
                   else least(v_last, v_eras * ceil(1.5 * p_limit / v_found.many)) end;
  end loop;
  return query select * from unnest(v_found.ids, v_found.moments);
end
$$;
revoke all on function newest_having(tsquery, text[], text[], timestamptz, text, integer, integer) from public;
grant execute on function newest_having(tsquery, text[], text[], timestamptz, text, integer, integer) to svc_app;
reset role;
revoke create on schema public from svc_search;
