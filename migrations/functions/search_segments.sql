-- Search of the release before (ADR 14). Nothing of this release calls it; a later migration drops it.

grant create on schema public to svc_search;
set local role svc_search;
create or replace function find_assets(p_searches jsonb, p_all text[], p_after timestamp with time zone, p_after_id text, p_limit integer)
 returns table(asset_ids text[], is_known boolean)
 language plpgsql
 stable security definer
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set plan_cache_mode to 'force_generic_plan'
 set jit to 'off'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
 set enable_memoize to 'off'
as $$
declare
  v_search jsonb;
begin
  for v_search in select value from jsonb_array_elements(p_searches) loop
    asset_ids := public.newest_found(v_search -> 'terms', v_search -> 'ways', p_all, p_after, p_after_id, p_limit);
    is_known := asset_ids is not null or ((p_all <> '{}' or p_after is not null) and
      public.newest_found(v_search -> 'terms', v_search -> 'ways', '{}', null, null, 1) is not null);
    exit when is_known;
  end loop;
  return next;
end
$$;
revoke all on function find_assets(jsonb, text[], timestamptz, text, integer) from public;
grant execute on function find_assets(jsonb, text[], timestamptz, text, integer) to svc_app;

-- The p_limit active assets that changed last, after a place where one is given, that are found in one of p_ways and have
-- all marks of p_all. p_terms: lexemes "from" to "to" of a "group". An asset is found in a way if it has a term of each of
-- its "groups" and one of the marks "any", where they are not null; the "query" says the groups again for what is not
-- sealed. Of the newest segments first, then by how many are found there of as many more as should do.
create or replace function newest_found(p_terms jsonb, p_ways jsonb, p_all text[], p_after timestamp with time zone, p_after_id text, p_limit integer)
 returns text[]
 language plpgsql
 stable
as $$
declare
  v_tenant text := current_setting('svc.tenant_id', true);
  -- Marks of p_all are groups of one term each.
  v_marked integer[] := array(select - nth from generate_subscripts(p_all, 1) as nth);
  v_groups integer[];
  v_from text[];
  v_to text[];
  v_segments integer[];
  v_untils timestamptz[];
  -- Of assets in it and all newer ones.
  v_sums bigint[];
  v_last integer;
  v_done integer := 0;
  v_next integer;
  v_wanted bigint := 16384;
  v_ids text[];
  v_moments timestamptz[];
  v_found integer;
begin
  select array_agg("group"), array_agg("from"), array_agg("to") into v_groups, v_from, v_to from (
    select * from jsonb_to_recordset(p_terms) as t ("group" integer, "from" text, "to" text)
    union all
    select - nth, '=' || mark, '=' || mark from unnest(p_all) with ordinality as m (mark, nth)) terms;
  -- By the index of what is not sealed, and no other: that is why it is not asked for by a null.
  select array_agg(n.asset_id), array_agg(n.changed_at), count(*) into v_ids, v_moments, v_found from (
    select distinct s.changed_at, s.asset_id
      from jsonb_to_recordset(p_ways) as way (query text, "any" text[]) cross join lateral (
        (select f.* from public.asset_search f
          where way.query <> '' and coalesce(f.segment, 0) = 0 and f.active and f.words @@ way.query::tsquery offset 0)
        union all
        (select f.* from public.asset_search f
          where way.query = '' and coalesce(f.segment, 0) = 0 and f.active and f.marks && way."any" offset 0)) s
     where s.tenant_id = v_tenant and s.marks @> p_all and (way."any" is null or s.marks && way."any")
       and (p_after is null or (s.changed_at, s.asset_id) < (p_after, p_after_id))
     order by s.changed_at desc, s.asset_id desc limit p_limit) n;
  -- What is nowhere is sought no further.
  if not exists (
    select from jsonb_to_recordset(p_ways) as way (groups integer[]) where way.groups || v_marked <@ array(
      select t.word from unnest(v_groups, v_from, v_to) as t (word, low, high)
       where t.low = t.high and exists (
               select from public.search_postings where tenant_id = v_tenant and lexeme = t.low offset 0)
          or t.low < t.high and exists (
               select from public.search_postings where tenant_id = v_tenant and lexeme between t.low and t.high offset 0)))
  then
    return v_ids;
  end if;
  -- Where a word is unfinished, segments without any of the marks are left out: it may stand for thousands of words.
  select array_agg(segment), array_agg(until), array_agg(sum), count(*) into v_segments, v_untils, v_sums, v_last from (
    select segment, until, sum(assets) over (order by until desc, segment desc) as sum from public.search_segments g
     where tenant_id = v_tenant and (p_after is null or since <= p_after)
       and (v_from = v_to or exists (
         select from jsonb_to_recordset(p_ways) as way ("any" text[])
          where way."any" is null or exists (
            select from public.search_postings p
             where p.tenant_id = v_tenant and p.segment = g.segment
               and p.lexeme = any(array(select '=' || mark from unnest(way."any") as mark)) offset 0)))
     order by until desc, segment desc) newest;
  while v_done < v_last and (v_found < p_limit or v_moments[p_limit] <= v_untils[v_done + 1]) loop
    v_next := v_done + 1;
    while v_next < v_last and v_sums[v_next] < v_wanted loop
      v_next := v_next + 1;
    end loop;
    select array_agg(n.asset_id), array_agg(n.changed_at), count(*) into v_ids, v_moments, v_found from (
      with way as materialized (
        select way, v_marked || groups as groups, "any", array(select '=' || mark from unnest("any") as mark) as marks
          from rows from (jsonb_to_recordset(p_ways) as (groups integer[], "any" text[])) with ordinality as w (groups, "any", way)
      ), word as (
        select p.segment, t.word, bit_or(p.slots) as slots
          from unnest(v_groups, v_from, v_to) as t (word, low, high) cross join lateral (
            select segment, slots from public.search_postings
             where t.low = t.high and tenant_id = v_tenant and lexeme = t.low and segment = any(v_segments[v_done + 1 : v_next])
            union all
            select segment, slots from public.search_postings
             where t.low < t.high and tenant_id = v_tenant and lexeme between t.low and t.high
               and segment = any(v_segments[v_done + 1 : v_next])
            offset 0) p
         group by p.segment, t.word
      ), worded as (
        select word.segment, way.way, bit_and(word.slots) as slots
          from word join way on word.word = any(way.groups)
         group by word.segment, way.way, way.groups
        having count(*) = cardinality(way.groups) and bit_count(bit_and(word.slots)) > 0
        union all
        select segment, way, ~b'0'::bit(16384) from way cross join unnest(v_segments[v_done + 1 : v_next]) as segment
         where way.groups = '{}'
      ), having_one as materialized (
        -- As few as there are marks are asked for theirs below.
        select worded.segment, way."any",
               case when way."any" is null or bit_count(worded.slots) <= cardinality(way.marks) then worded.slots
                    else worded.slots & (
                      select coalesce(bit_or(p.slots), b'0'::bit(16384)) from public.search_postings p
                       where p.tenant_id = v_tenant and p.segment = worded.segment and p.lexeme = any(way.marks)) end as slots
          from worded join way using (way)
      )
      select o.asset_id, o.changed_at from unnest(v_ids, v_moments) as o (asset_id, changed_at)
      union
      select s.asset_id, s.changed_at from having_one h cross join lateral (
        select s.asset_id, s.changed_at
          from (select generate_series(0, 16383, 512) as start) c cross join lateral (
            -- What stands between the ones tells where they are.
            select c.start + (sum(length(zeros) + 1) over (order by nth))::integer - 1 as slot
              from unnest(string_to_array(substring(h.slots from c.start + 1 for 512)::text, '1')) with ordinality as z (zeros, nth)
          ) d cross join lateral (
            -- Slot by slot, whatever is known of how many there are.
            select * from public.asset_search where tenant_id = v_tenant and segment = h.segment and slot = d.slot offset 0) s
         where bit_count(h.slots) > 0 and bit_count(substring(h.slots from c.start + 1 for 512)) > 0 and d.slot < c.start + 512
           and (h."any" is null or s.marks && h."any")
           and (p_after is null or (s.changed_at, s.asset_id) < (p_after, p_after_id))
         limit p_limit) s
      order by changed_at desc, asset_id desc limit p_limit) n;
    v_done := v_next;
    v_wanted := v_sums[v_done] * 1.5 * p_limit / greatest(v_found, 0.5);
  end loop;
  return v_ids;
end
$$;
revoke all on function newest_found(jsonb, jsonb, text[], timestamptz, text, integer) from public;

reset role;
revoke create on schema public from svc_search;

-- Nothing is sealed any more. A worker of the release before asks for it, and is told that there is no more.
create or replace function seal_search(p_tenant text, p_most integer default 16384, p_size integer default 16384, p_lexemes bigint default 500000, out sealed integer, out is_cut boolean)
 returns record
 language sql
as $$
  select 0, false
$$;

create or replace function search_unsealed()
 returns trigger
 language plpgsql
as $$
begin
  new.segment := null;
  new.slot := null;
  return new;
end
$$;

create or replace trigger asset_search_unsealed before update on asset_search
  for each row when (new.segment = old.segment and new.slot = old.slot
                     and (new.active, new.changed_at, new.marks, new.words)
                         is distinct from (old.active, old.changed_at, old.marks, old.words))
  execute function search_unsealed();

-- The bits of segments whose assets have their slots.
create or replace function write_search_postings(p_tenant text, p_segments integer[])
 returns void
 language sql
 set work_mem to '64MB'
 set jit to 'off'
as $$
  insert into public.search_postings (tenant_id, segment, lexeme, slots)
  select p_tenant, segment, lexeme, bit_or(set_bit(b'0'::bit(16384), slot, 1))
    from (
      select s.segment, s.slot, lexeme from public.asset_search s cross join unnest(s.words)
       where s.tenant_id = p_tenant and s.segment = any(p_segments) and left(lexeme, 1) <> '@'
      union all
      select s.segment, s.slot, '=' || mark from public.asset_search s cross join unnest(s.marks) as mark
       where s.tenant_id = p_tenant and s.segment = any(p_segments) and mark not like '____era:%'
    ) having_some
   group by segment, lexeme order by segment, lexeme
$$;
