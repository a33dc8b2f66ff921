-- What assets are found by: the words of their names, and those of their texts, which cannot be read.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, asset_placements, information_types in access exclusive mode;

-- The words of a name or path, each once: lower case, without accents, `InvoiceRegister` being two. What is neither a
-- letter nor a digit is told by its place in Unicode, and not by the locale of the database.
create function search_words(p_text text) returns text[] language sql immutable parallel safe
set search_path = pg_catalog as $$
  select coalesce(array_agg(distinct left(word, 64)), '{}')
    from regexp_split_to_table(
      translate(replace(replace(replace(lower(regexp_replace(
        normalize(regexp_replace(left(p_text, 4000), '([[:lower:]])([[:upper:]])', '\1 \2', 'g'), nfkd),
        '[\u0300-\u036f]', '', 'g')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'łøđ', 'lod'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7'
      || '\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20]+') as word
   where word <> ''
$$;

-- Stands before whatever is a tenant's own in the index below, so that what others hold costs a search nothing.
create function search_tag(p_tenant text) returns text language sql immutable parallel safe
set search_path = pg_catalog as $$
  select left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 4)
$$;

-- One row per asset, narrow, so that many are soon met. What changes without a new version of the asset is in no index,
-- since an update of anything in one writes all words of the asset anew.
create table asset_search (
  tenant_id text not null,
  asset_id text not null,
  -- Those of the asset.
  active boolean not null,
  changed_at timestamptz(3) not null,
  -- The domains and information types that candidates tie it to, its label state and its risk, behind the tenant's tag.
  marks text[] not null,
  -- Words of name, path and format behind the tenant's tag; behind a tilde and the tag those of the kinds of detectors
  -- that found something; behind a # the words of the text, as hashes that cannot be read.
  words tsvector not null,
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets
) with (fillfactor = 70, toast_tuple_target = 512);
alter table asset_search alter column words set storage external;
create function search_marks(p_asset assets) returns text[] language sql stable as $$
  select array_agg(distinct public.search_tag(p_asset.tenant_id) || mark order by public.search_tag(p_asset.tenant_id) || mark)
    from (
      select unnest(array[p.domain_id, p.information_type_id]) as mark from public.asset_placements p
       where p.tenant_id = p_asset.tenant_id and p.asset_id = p_asset.asset_id
      union all
      select unnest(array['label:' || p_asset.label_state, 'risk:' || p_asset.risk_severity])
    ) marks
   where mark is not null
$$;

create function name_lexemes(p_asset assets) returns text[] language sql immutable as $$
  select coalesce(array_agg(public.search_tag(p_asset.tenant_id) || word), '{}')
    from unnest(public.search_words(concat_ws(' ', p_asset.name, p_asset.path, p_asset.format))) as word
$$;

create function search_inserted() returns trigger language plpgsql as $$
begin
  insert into public.asset_search (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at, public.search_marks(a),
         array_to_tsvector(public.name_lexemes(a))
    from became b join public.assets a using (tenant_id, asset_id)
  on conflict do nothing;
  return null;
end
$$;
create trigger assets_searched_insert after insert on assets
  referencing new table as became for each statement execute function search_inserted();

create function search_updated() returns trigger language plpgsql as $$
begin
  update public.asset_search
     set active = new.status = 'active', changed_at = new.changed_at,
         -- Nobody looks for what is gone.
         marks = case when new.status = 'active' then public.search_marks(new) else marks end
   where tenant_id = new.tenant_id and asset_id = new.asset_id;
  return null;
end
$$;
create trigger assets_searched_update after update of status, changed_at, label_state, risk_severity on assets for each row
  when ((old.status, old.changed_at, old.label_state, old.risk_severity)
        is distinct from (new.status, new.changed_at, new.label_state, new.risk_severity))
  execute function search_updated();

create function search_renamed() returns trigger language plpgsql as $$
begin
  update public.asset_search s
     set words = array_to_tsvector(public.name_lexemes(new) || array(
           select lexeme from unnest(s.words) where left(lexeme, 1) in ('#', '~')))
   where s.tenant_id = new.tenant_id and s.asset_id = new.asset_id;
  return null;
end
$$;
create trigger assets_searched_rename after update of name, path, format on assets for each row
  when ((old.name, old.path, old.format) is distinct from (new.name, new.path, new.format))
  execute function search_renamed();

-- Rows of placements change more often than what they say of domains and types. Planned like `place_assets`.
create function search_placed() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from placed) then
    return null;
  end if;
  with due as materialized (
    select a.tenant_id, a.asset_id, public.search_marks(a) as marks
      from (select distinct tenant_id, asset_id from placed) d join public.assets a using (tenant_id, asset_id)
     where a.status = 'active'
  )
  update public.asset_search s set marks = due.marks
    from due where s.tenant_id = due.tenant_id and s.asset_id = due.asset_id and s.marks <> due.marks;
  return null;
end
$$;
create trigger asset_placements_searched_insert after insert on asset_placements
  referencing new table as placed for each statement execute function search_placed();
create trigger asset_placements_searched_delete after delete on asset_placements
  referencing old table as placed for each statement execute function search_placed();

-- Makes the rows of a tenant anew, from names alone: after assets were written without the triggers.
create function rebuild_search(p_tenant text) returns void language sql as $$
  delete from public.asset_search where tenant_id = p_tenant;
  insert into public.asset_search (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at, public.search_marks(a),
         array_to_tsvector(public.name_lexemes(a))
    from public.assets a where a.tenant_id = p_tenant
$$;

-- Copies in the order of their ids, so that the first ones are found at once however many there are.
create index assets_same_bytes on assets (tenant_id, content_hash, asset_id)
  where content_hash is not null and status = 'active';
drop index assets_copies;

alter table information_types add column name_words text[] generated always as (search_words(name)) stored;

-- What there is already. The owner of the tables is bound by their policies, and has none.
alter table assets no force row level security;
alter table asset_placements no force row level security;
alter table tenants no force row level security;
select rebuild_search(tenant_id) from tenants;
create index asset_search_words on asset_search using gin (marks, words) with (gin_pending_list_limit = 1024);
create index asset_search_changed on asset_search (tenant_id, changed_at desc, asset_id desc) where active;
alter table assets force row level security;
alter table asset_placements force row level security;
alter table tenants force row level security;

call protect_tenant_table('asset_search');
grant select, insert, update on asset_search to svc_app;

-- Row-level security keeps a search from an index, since an operator that may leak would see rows before the policy:
-- here the tenant is part of each word and mark, and is asked for again.
create policy search_read on asset_search for select to svc_search using (true);
grant select on asset_search to svc_search;

-- Ids of the p_limit active assets that changed last, after a place where one is given, that have the words of p_query,
-- where it is not empty, one of p_any, where they are not null, and all of p_all.
-- How it looks for them follows from how many of the newest assets match: what is frequent is met among them; what is
-- less so is sought by the index among as many of the newest as should do; what is rare, by the index alone. So is
-- whatever the newest assets have told wrongly.
create function assets_having(
  p_query tsquery, p_any text[], p_all text[], p_after timestamptz, p_after_id text, p_limit integer
) returns setof text language plpgsql stable security definer
set search_path = pg_catalog, public set plan_cache_mode = force_custom_plan set enable_seqscan = off set jit = off as $$
declare
  v_tenant text := current_setting('svc.tenant_id', true);
  v_after timestamptz := coalesce(p_after, 'infinity');
  v_after_id text := coalesce(p_after_id, '');
  v_sample constant integer := 400;
  v_seen integer;
  v_matches integer;
  v_since timestamptz := '-infinity';
  v_found text[];
begin
  with newest as materialized (
    select s.asset_id,
           (p_any is null or s.marks && p_any) and (p_all = '{}' or s.marks @> p_all)
           and (numnode(p_query) = 0 or s.words @@ p_query) as matches
      from public.asset_search s
     where s.tenant_id = v_tenant and s.active and (s.changed_at, s.asset_id) < (v_after, v_after_id)
     order by s.changed_at desc, s.asset_id desc limit v_sample
  )
  select count(*), count(*) filter (where matches), (array_agg(asset_id) filter (where matches))[1:p_limit]
    into v_seen, v_matches, v_found from newest;
  if v_seen < v_sample or v_matches >= p_limit then
    return query select unnest(v_found);
    return;
  end if;
  if 25 * v_matches >= v_sample then
    v_found := array(
      select n.asset_id from (
        select s.asset_id, s.marks, s.words from public.asset_search s
         where s.tenant_id = v_tenant and s.active and (s.changed_at, s.asset_id) < (v_after, v_after_id)
         order by s.changed_at desc, s.asset_id desc limit 30 * p_limit) n
       where (p_any is null or n.marks && p_any) and (p_all = '{}' or n.marks @> p_all)
         and (numnode(p_query) = 0 or n.words @@ p_query)
       limit p_limit);
    if cardinality(v_found) = p_limit then
      return query select unnest(v_found);
      return;
    end if;
  elsif 100 * v_matches >= v_sample then
    select s.changed_at into v_since from public.asset_search s
     where s.tenant_id = v_tenant and s.active and (s.changed_at, s.asset_id) < (v_after, v_after_id)
     order by s.changed_at desc, s.asset_id desc offset (2 * p_limit * v_sample) / v_matches limit 1;
  end if;
  loop
    v_found := array(
      -- Apart, so that no index is walked for the sake of the order.
      select f.asset_id from (
        select s.asset_id, s.changed_at from public.asset_search s
         where s.tenant_id = v_tenant and s.active and s.changed_at >= coalesce(v_since, '-infinity')
           and (s.changed_at, s.asset_id) < (v_after, v_after_id)
           and (numnode(p_query) = 0 or s.words @@ p_query)
           and (p_any is null or s.marks && p_any)
           and (p_all = '{}' or s.marks @> p_all)
        offset 0) f
       order by f.changed_at desc, f.asset_id desc limit p_limit);
    exit when cardinality(v_found) = p_limit or coalesce(v_since, '-infinity') = '-infinity';
    v_since := '-infinity';
  end loop;
  return query select unnest(v_found);
end
$$;
revoke all on function assets_having(tsquery, text[], text[], timestamptz, text, integer) from public;
grant execute on function assets_having(tsquery, text[], text[], timestamptz, text, integer) to svc_app;
grant create on schema public to svc_search;
alter function assets_having(tsquery, text[], text[], timestamptz, text, integer) owner to svc_search;
revoke create on schema public from svc_search;
