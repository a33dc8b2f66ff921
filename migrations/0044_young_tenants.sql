-- As before, but that each segment is looked up by its key. A plan from when there were few assets would go through all of them
-- instead.

create or replace function seal_search(
  p_tenant text, p_most integer default 16384, p_size integer default 16384, p_lexemes bigint default 500000,
  out sealed integer, out is_cut boolean
) language plpgsql set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_ids text[];
  v_moments timestamptz[];
  v_counts integer[];
  v_lexemes bigint;
  v_total integer;
  v_merged integer[] := '{}';
  v_small record;
  v_last integer;
begin
  sealed := 0;
  is_cut := false;
  -- Somebody else is at it.
  if not pg_try_advisory_xact_lock(hashtextextended('seal_search ' || p_tenant, 0)) then
    return;
  end if;
  select array_agg(asset_id), sum(lexemes), count(*) into v_ids, v_lexemes, v_total from (
    select asset_id, lexemes, sum(lexemes) over (order by changed_at, asset_id) - lexemes as before from (
      select asset_id, changed_at, length(words) + cardinality(marks) as lexemes from public.asset_search
       where tenant_id = p_tenant and segment is null and active
       order by changed_at, asset_id limit p_most) oldest) fresh
   where before < p_lexemes;
  if v_total > 0 then
    is_cut := v_total = p_most or v_lexemes >= p_lexemes;
    for v_small in
      select *, lexemes * held / assets as still from (
        select g.*, (select count(*) from public.asset_search s where s.tenant_id = p_tenant and s.segment = g.segment) as held from (
          select segment, assets, lexemes from public.search_segments
           where tenant_id = p_tenant and assets <= p_size / 2 and lexemes <= p_lexemes / 2
          union
          (select segment, assets, lexemes from public.search_segments where tenant_id = p_tenant order by random() limit 1)) g) left_of
       order by held
    loop
      exit when v_small.held > least(v_total, p_size / 2) or v_lexemes + v_small.still > p_lexemes;
      v_total := v_total + v_small.held;
      v_lexemes := v_lexemes + v_small.still;
      v_merged := v_merged || v_small.segment;
    end loop;
    with picked as materialized (
      select asset_id, changed_at, segment, length(words) + cardinality(marks) as lexemes from public.asset_search
       where tenant_id = p_tenant and asset_id = any(v_ids) and segment is null and active for update skip locked
    ), merged as materialized (
      select asset_id, changed_at, segment, length(words) + cardinality(marks) as lexemes from public.asset_search
       where tenant_id = p_tenant and segment = any(v_merged) for update skip locked
    )
    select array_agg(asset_id order by changed_at, asset_id), array_agg(changed_at order by changed_at, asset_id),
           array_agg(lexemes order by changed_at, asset_id), count(*), count(*) filter (where segment is null)
      into v_ids, v_moments, v_counts, v_total, sealed from (select * from picked union all select * from merged) locked;
    select coalesce(max(segment), 0) + 1 into v_last from public.search_segments where tenant_id = p_tenant;
    insert into public.search_segments (tenant_id, segment, since, until, assets, lexemes)
    select p_tenant, v_last + (nth - 1) / p_size, min(moment), max(moment), count(*), sum(lexemes)
      from unnest(v_moments, v_counts) with ordinality as l (moment, lexemes, nth) group by (nth - 1) / p_size;
    -- Row by row: whatever is known of how many there are, each is found by its key. From the oldest, so that it is the
    -- newest segment that is not full.
    for v_nth in 1 .. v_total loop
      update public.asset_search
         set segment = v_last + (v_nth - 1) / p_size, slot = least(v_total, ((v_nth - 1) / p_size + 1) * p_size) - v_nth
       where tenant_id = p_tenant and asset_id = v_ids[v_nth];
    end loop;
    perform public.write_search_postings(p_tenant, array(select generate_series(v_last, v_last + (v_total - 1) / p_size)));
  end if;
  delete from public.search_segments g
   where g.tenant_id = p_tenant
     and not exists (select from public.asset_search s where s.tenant_id = p_tenant and s.segment = g.segment offset 0);
  is_cut := is_cut and sealed > 0;
end
$$;

-- A tenant that the planner does not know is one row to it, and whatever joins it goes through all of it for each row. Beside
-- a million assets it would stay so until it has a hundred thousand; now it is known after two thousand. The index of words
-- is left out: its statements need no figures, and words of texts take long to count.
alter table assets set (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000);
alter table asset_placements set (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000);
alter table candidates set (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000);
alter table findings set (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000);
