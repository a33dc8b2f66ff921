-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, asset_placements, asset_search in access exclusive mode;

-- Some thousand assets that are sealed: for each word and mark of theirs there is a string of bits that tells which of them
-- have it, so that many words at once are an AND of a few strings. Slots are numbered from the asset that changed last.
create table search_segments (
  tenant_id text not null references tenants,
  segment integer not null constraint search_segments_counted check (segment > 0),
  -- When the assets changed that were sealed in it, how many those were, and what they had of words and marks.
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  assets integer not null,
  lexemes bigint not null,
  primary key (tenant_id, segment)
);
call protect_tenant_table('search_segments');
grant select, insert, delete on search_segments to svc_app;
create policy search_read on search_segments for select to svc_search using (true);
grant select on search_segments to svc_search;

create table search_postings (
  tenant_id text not null,
  segment integer not null,
  -- A word as in asset_search, or a mark behind an equals sign.
  lexeme text collate "C" not null,
  slots bit(16384) not null,
  primary key (tenant_id, segment, lexeme),
  foreign key (tenant_id, segment) references search_segments on delete cascade
);
create index search_postings_by_lexeme on search_postings (tenant_id, lexeme, segment);
-- In the row: what few have is compressed to some bytes, and what many have is two kilobytes at most.
alter table search_postings alter slots set storage main;
call protect_tenant_table('search_postings');
grant select, insert on search_postings to svc_app;
create policy search_read on search_postings for select to svc_search using (true);
grant select on search_postings to svc_search;

-- Null is what is not sealed: it has changed since, or nobody looks for it.
alter table asset_search add segment integer, add slot integer;
alter table asset_search
  add constraint asset_search_sealed check ((segment is null) = (slot is null) and slot between 0 and 16383 and (active or segment is null)),
  add constraint asset_search_slots unique (tenant_id, segment, slot),
  add foreign key (tenant_id, segment) references search_segments;

-- What is no longer fresh stays in the index of what is until a vacuum, and until one that does not spare the indexes because
-- few pages have changed.
alter table asset_search set (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, vacuum_index_cleanup = on
);

create function search_unsealed() returns trigger language plpgsql as $$
begin
  new.segment := null;
  new.slot := null;
  return new;
end
$$;
create trigger asset_search_unsealed before update on asset_search for each row
  when (new.segment = old.segment and new.slot = old.slot
        and (new.active, new.changed_at, new.marks, new.words) is distinct from (old.active, old.changed_at, old.marks, old.words))
  execute function search_unsealed();

-- The bits of segments whose assets have their slots.
create function write_search_postings(p_tenant text, p_segments integer[]) returns void language sql
set work_mem = '64MB' set jit = off as $$
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

-- Seals the p_most assets that are not and changed longest ago, in segments of p_size, and with them what is left of small
-- segments that have no more than there are by then, so that an asset is sealed again a few times and not at each call; in
-- all as many as have about p_lexemes words and marks, since whoever changes one of them waits meanwhile. A segment that was
-- large is looked at now and then. Rows that others write are left for the next time. How many were sealed that had not been,
-- and whether there may be more.
create function seal_search(
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
     and not exists (select from public.asset_search s where s.tenant_id = p_tenant and s.segment = g.segment);
  is_cut := is_cut and sealed > 0;
end
$$;

create or replace function rebuild_search(p_tenant text, p_each integer default 4096) returns void language plpgsql as $$
begin
  lock table public.asset_search in exclusive mode;
  perform public.rebuild_search_eras(p_tenant, p_each);
  delete from public.asset_search where tenant_id = p_tenant;
  delete from public.search_segments where tenant_id = p_tenant;
  insert into public.asset_search (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at, public.search_marks(a),
         public.words_in_domains(array_to_tsvector(public.name_lexemes(a)), a.tenant_id, public.domains_of(a.tenant_id, a.asset_id))
    from public.assets a where a.tenant_id = p_tenant;
  perform public.seal_search(p_tenant, 2147483647, least(16384, 4 * p_each), 9223372036854775807);
end
$$;

revoke all on function rebuild_search(text, integer) from public;

-- What there is already is fresh, and is sealed from the next minute on.
create index asset_search_unsealed on asset_search (tenant_id, changed_at, asset_id) where segment is null and active;
create index asset_search_fresh on asset_search using gin (words, marks) with (fastupdate = off)
  where coalesce(segment, 0) = 0 and active;

grant create on schema public to svc_search;
set local role svc_search;

-- The p_limit active assets that changed last, after a place where one is given, that are found in one of p_ways and have
-- all marks of p_all. p_terms: lexemes "from" to "to" of a "group". An asset is found in a way if it has a term of each of
-- its "groups" and one of the marks "any", where they are not null; the "query" says the groups again for what is not
-- sealed. Of the newest segments first, then by how many are found there of as many more as should do.
create function newest_found(
  p_terms jsonb, p_ways jsonb, p_all text[], p_after timestamptz, p_after_id text, p_limit integer
) returns text[] language plpgsql stable as $$
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

-- What the first of p_searches finds that finds anything: its "terms" and "ways" as above. is_known: it has found something,
-- if only without p_all and the place.
create function find_assets(
  p_searches jsonb, p_all text[], p_after timestamptz, p_after_id text, p_limit integer
) returns table (asset_ids text[], is_known boolean) language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_generic_plan set jit = off
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_memoize = off as $$
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
reset role;
revoke create on schema public from svc_search;
