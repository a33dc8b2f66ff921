-- Search by one row and one index again (ADR 17), written once in a transaction: when its asset is placed at the commit.

-- What a text and its signals are found by. Null: an earlier release read it, and the words stand in asset_search alone.
alter table asset_features add column search_lexemes text[];

-- When the source no longer had it.
alter table assets add column deleted_at timestamptz;

drop trigger assets_searched_insert on assets;
drop trigger assets_searched_rename on assets;
drop trigger assets_searched_update on assets;
drop trigger asset_placements_searched_insert on asset_placements;
drop trigger asset_placements_searched_delete on asset_placements;
drop function search_inserted();
drop function search_renamed();
drop function search_updated();
drop function search_placed();
drop function search_marks(assets);
drop function name_lexemes(assets);

-- One index of words and marks. What is in a segment of the release before is found by it as well.
create index asset_search_words on asset_search using gin (words, marks) with (fastupdate = off) where active;
drop index asset_search_fresh;
drop index asset_search_unsealed;

--! include functions/placements.sql
-- What the placements of these assets should be. Each asset is looked up by its id: without statistics, the planner takes
-- any index that begins with the tenant.
create or replace function placements_of(p_tenant text, p_assets text[])
 returns setof public.asset_placements
 language sql
 stable
as $$
  select a.tenant_id, a.asset_id, t.domain_id, t.information_type_id, a.scope_id,
         coalesce(t.provenance, 'unclassified'), coalesce(t.firmest, true), a.label_state, a.risk_severity,
         case when coalesce(t.firmest, true) then
           (select count(*)::smallint from public.findings f
             where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved')
         else 0 end,
         case when t.firmest then t.pending_reviews else 0 end, a.changed_at, t.candidate_id, t.confidence,
         t.status, t.decision_id,
         (select max(v.version) > 1 from public.asset_versions v
           where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id) is true
    from unnest(p_assets) as due (asset_id)
   cross join lateral (
     select * from public.assets where tenant_id = p_tenant and asset_id = due.asset_id offset 0) a
    left join lateral (
      select r.domain_id, r.information_type_id, r.provenance, r.pending_reviews, r.candidate_id, r.confidence,
             r.status, r.decision_id,
             row_number() over (partition by r.domain_id order by r.strength desc, r.confidence desc nulls last, r.candidate_id) = 1
               as firmest
        from (
          -- Two candidates may say the same: one that was corrected to a type, and that of the type.
          select distinct on (k.domain_id, y.information_type_id)
                 k.domain_id, y.information_type_id, k.confidence, k.candidate_id, k.status, k.decision_id,
                 (k.status = 'confirmed')::int as strength,
                 case when k.status = 'confirmed' then 'confirmed' when k.band = 'routed' then 'routed' else 'inferred' end
                   as provenance,
                 (count(*) filter (where k.status = 'pending') over (partition by k.domain_id) > 0)::int::smallint as pending_reviews
            from public.candidates k
            left join public.decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
            left join public.information_types y
              on y.tenant_id = k.tenant_id and y.domain_id = k.domain_id
             and y.information_type_id = coalesce(d.corrected_information_type_id, k.information_type_id)
           where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and k.status in ('pending', 'deferred', 'confirmed')
           order by k.domain_id, y.information_type_id, (k.status = 'confirmed') desc, k.confidence desc nulls last,
                    k.candidate_id
        ) r
    ) t on true
   where a.status = 'active'
$$;

-- Stores the placements of these assets where they differ.
create or replace function place_assets(p_tenant text, p_assets text[])
 returns void
 language plpgsql
 set plan_cache_mode to 'force_generic_plan'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
as $$
declare
  v_some text[];
begin
  for v_first in 1 .. cardinality(p_assets) by 500 loop
    v_some := p_assets[v_first : v_first + 499];
    with due as materialized (
      select * from public.placements_of(p_tenant, v_some)
    ), gone as (
      delete from public.asset_placements p
       where p.tenant_id = p_tenant and p.asset_id = any(v_some)
         and not exists (
           select 1 from due d
            where d.asset_id = p.asset_id and d.domain_id is not distinct from p.domain_id
              and d.information_type_id is not distinct from p.information_type_id)
    )
    insert into public.asset_placements as p
    select * from due
    on conflict on constraint asset_placements_once do update
      set provenance = excluded.provenance, firmest = excluded.firmest, label_state = excluded.label_state,
          risk_severity = excluded.risk_severity, open_findings = excluded.open_findings,
          pending_reviews = excluded.pending_reviews, changed_at = excluded.changed_at,
          candidate_id = excluded.candidate_id, confidence = excluded.confidence, status = excluded.status,
          decision_id = excluded.decision_id, changed_since_first_sight = excluded.changed_since_first_sight
    where (p.provenance, p.firmest, p.label_state, p.risk_severity, p.open_findings, p.pending_reviews, p.changed_at,
           p.candidate_id, p.confidence, p.status, p.decision_id, p.changed_since_first_sight)
          is distinct from (excluded.provenance, excluded.firmest, excluded.label_state, excluded.risk_severity,
                            excluded.open_findings, excluded.pending_reviews, excluded.changed_at,
                            excluded.candidate_id, excluded.confidence, excluded.status, excluded.decision_id,
                            excluded.changed_since_first_sight);
  end loop;
end
$$;

-- Notes assets to be placed at the commit. A setting needs no row, and ends with the transaction or the savepoint.
create or replace function note_placing(p_tenant text, p_assets text[])
 returns void
 language plpgsql
as $$
begin
  perform set_config('svc.placing',
    concat_ws(' ', nullif(current_setting('svc.placing', true), ''), p_tenant || ' ' || array_to_string(p_assets, ' ' || p_tenant || ' ')),
    true);
end
$$;

-- Places and indexes the noted assets. The first of the deferred triggers of a transaction does all; the others find none.
create or replace function place_noted()
 returns trigger
 language plpgsql
as $$
declare
  v_noted text := current_setting('svc.placing', true);
  v_due record;
begin
  if coalesce(v_noted, '') = '' then
    return null;
  end if;
  perform set_config('svc.placing', '', true);
  for v_due in
    select tenant_id, array_agg(distinct asset_id) as assets
      from (
        select word as tenant_id, lead(word) over (order by nth) as asset_id, nth
          from string_to_table(v_noted, ' ') with ordinality as each (word, nth)
      ) pairs
     where nth % 2 = 1
     group by tenant_id
  loop
    perform public.place_assets(v_due.tenant_id, v_due.assets);
    perform public.index_assets(v_due.tenant_id, v_due.assets);
  end loop;
  return null;
end
$$;

drop trigger if exists asset_features_placed_at_end on asset_features;
create constraint trigger asset_features_placed_at_end after insert or update of search_lexemes on asset_features deferrable initially deferred
  for each row execute function place_noted();
drop trigger if exists asset_versions_placed_at_end on asset_versions;
create constraint trigger asset_versions_placed_at_end after insert on asset_versions deferrable initially deferred
  for each row when (new.version = 2)
  execute function place_noted();
drop trigger if exists assets_placed_at_end on assets;
create constraint trigger assets_placed_at_end after insert or update on assets deferrable initially deferred
  for each row execute function place_noted();
drop trigger if exists candidates_placed_at_end on candidates;
create constraint trigger candidates_placed_at_end after insert or update on candidates deferrable initially deferred
  for each row execute function place_noted();
drop trigger if exists findings_placed_at_end on findings;
create constraint trigger findings_placed_at_end after insert or update on findings deferrable initially deferred
  for each row execute function place_noted();

-- Notes the assets of inserted rows. Assets, candidates and findings are never deleted.
create or replace function place_inserted()
 returns trigger
 language plpgsql
as $$
declare
  v_changed record;
begin
  for v_changed in select tenant_id, array_agg(distinct asset_id) as assets from became group by tenant_id loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create or replace trigger assets_placed_insert after insert on assets referencing new table as became
  for each statement execute function place_inserted();
create or replace trigger candidates_placed_insert after insert on candidates referencing new table as became
  for each statement execute function place_inserted();
create or replace trigger findings_placed_insert after insert on findings referencing new table as became
  for each statement execute function place_inserted();

create or replace function place_updated_assets()
 returns trigger
 language plpgsql
as $$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(b.asset_id) as assets
      from became b join was w using (tenant_id, asset_id)
     where (b.status, b.label_state, b.risk_severity, b.changed_at, b.name, b.path, b.format)
           is distinct from (w.status, w.label_state, w.risk_severity, w.changed_at, w.name, w.path, w.format)
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create or replace trigger assets_placed_update after update on assets referencing old table as was new table as became
  for each statement execute function place_updated_assets();

create or replace function place_updated_candidates()
 returns trigger
 language plpgsql
as $$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(distinct b.asset_id) as assets
      from became b join was w using (tenant_id, candidate_id)
     where (b.status, b.decision_id, b.band, b.confidence) is distinct from (w.status, w.decision_id, w.band, w.confidence)
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create or replace trigger candidates_placed_update after update on candidates referencing old table as was new table as became
  for each statement execute function place_updated_candidates();

-- Notes the assets whose number of unresolved findings changes. A deleted asset has been noted itself.
create or replace function place_updated_findings()
 returns trigger
 language plpgsql
as $$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(distinct b.asset_id) as assets
      from became b join was w using (tenant_id, finding_id)
      join public.assets a on a.tenant_id = b.tenant_id and a.asset_id = b.asset_id
     where (b.status = 'resolved') <> (w.status = 'resolved') and a.status = 'active'
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create or replace trigger findings_placed_update after update on findings referencing old table as was new table as became
  for each statement execute function place_updated_findings();

-- Notes the asset of a row. For versions: the second one counts as a change.
create or replace function place_changed()
 returns trigger
 language plpgsql
as $$
begin
  perform public.note_placing(new.tenant_id, array[new.asset_id]);
  return null;
end
$$;

create or replace trigger asset_features_indexed after insert or update of search_lexemes on asset_features
  for each row execute function place_changed();
create or replace trigger asset_versions_placed after insert on asset_versions
  for each row when (new.version = 2)
  execute function place_changed();
--! end functions/placements.sql
--! include functions/search.sql
-- Begins the words and marks of a tenant, so that those of others cost its searches nothing.
create or replace function search_tag(p_tenant text)
 returns text
 language sql
 immutable parallel safe
 set search_path to 'pg_catalog'
as $$
  select left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 4)
$$;

-- The distinct words of a name or path: lower case, without accents, `InvoiceRegister` as two. Separators are given by
-- code point, so that the locale of the database does not matter.
create or replace function search_words(p_text text)
 returns text[]
 language sql
 immutable parallel safe
 set search_path to 'pg_catalog'
as $$
  select coalesce(array_agg(distinct left(word, 64)), '{}')
    from regexp_split_to_table(
      translate(replace(replace(replace(lower(regexp_replace(
        normalize(regexp_replace(left(p_text, 4000), '([[:lower:]])([[:upper:]])', '\1 \2', 'g'), nfkd),
        '[\u0300-\u036f]', '', 'g')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'łøđ', 'lod'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7'
      || '\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20]+') as word
   where word <> ''
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
 set search_path to 'pg_catalog', 'public', 'pg_temp'
 set jit to 'off'
 set enable_seqscan to 'off'
 set work_mem to '32MB'
as $$
declare
  v_way record;
  v_found text[] := '{}';
  v_some text[];
begin
  for v_way in select * from jsonb_to_recordset(p_ways) as way (query text, "any" text[]) loop
    -- By the index of words and marks and no other, so without the tenant. An empty condition would read the whole index.
    execute format(
      'select array_agg(asset_id) from (
         select asset_id from (select * from public.asset_search where active %s %s %s offset 0) held
          where tenant_id = $4 and ($5 is null or (changed_at, asset_id) < ($5, $6))
          order by changed_at desc, asset_id desc limit $7) newest',
      case when v_way.query <> '' then 'and words @@ $1::tsquery' end,
      case when v_way."any" is not null then 'and marks && $2' end,
      case when p_all <> '{}' then 'and marks @> $3' end)
      into v_some
      using v_way.query, v_way."any", p_all, current_setting('svc.tenant_id', true), p_after, p_after_id, p_most;
    v_found := v_found || v_some;
  end loop;
  return query
  select s.asset_id from public.asset_search s
   where s.tenant_id = current_setting('svc.tenant_id', true) and s.asset_id = any(v_found)
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
 set search_path to 'pg_catalog', 'public'
 set plan_cache_mode to 'force_generic_plan'
as $$
declare
  v_pattern text := replace(replace(replace(p_term, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_tenant text := current_setting('svc.tenant_id', true);
begin
  if p_anywhere then
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active'
        and lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')) like '%' || v_pattern
      limit p_most;
  else
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active' and lower(a.name) like v_pattern
        and lower(left(a.name, 32)) ~>=~ left(p_term, 32)
        and lower(left(a.name, 32)) ~<~ (left(p_term, 32) || U&'\+10FFFF')
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
--! end functions/search.sql
--! include functions/search_segments.sql
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
--! end functions/search_segments.sql
--! include functions/findings.sql
-- Clears who acknowledged a finding, when and by which answer, once it is no longer acknowledged.
create or replace function end_acknowledgement()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  if new.status = 'open' then
    new.status := old.status;
    return new;
  end if;
  new.acknowledged_by := null;
  new.acknowledged_at := null;
  new.acknowledge_note := null;
  new.acknowledged_decision_id := null;
  return new;
end
$$;

create or replace trigger findings_no_longer_acknowledged before update of status on findings
  for each row when (old.status = 'acknowledged' and new.status <> 'acknowledged')
  execute function end_acknowledgement();

-- A judgement inserts a finding with the status that it has, and its row wins over the stored one. A new finding begins
-- open; for a stored one `end_acknowledgement` keeps the status.
create or replace function put_finding_forward()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  new.status := 'open';
  return new;
end
$$;

create or replace trigger findings_put_forward before insert on findings
  for each row when (new.status = 'acknowledged' and new.acknowledged_at is null)
  execute function put_finding_forward();

-- Resolves the findings of a deleted asset. Its risk stays, in case the asset comes back.
create or replace function settle_deleted_asset()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  update public.findings
     set status = 'resolved', resolved_at = coalesce(new.deleted_at, now()), changed_at = coalesce(new.deleted_at, now()),
         revision = revision + 1
   where tenant_id = new.tenant_id and asset_id = new.asset_id and status <> 'resolved';
  return null;
end
$$;

create or replace trigger assets_deleted after update of status on assets
  for each row when (new.status = 'deleted' and old.status <> 'deleted')
  execute function settle_deleted_asset();
--! end functions/findings.sql
