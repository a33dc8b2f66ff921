-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, asset_placements, asset_search in access exclusive mode;

-- Lists look up some hundred assets by their ids at a time. A hash finds one in a third of the time that the tree of the
-- primary key takes, whose keys all begin alike.
create index assets_by_id on assets using hash (asset_id);
create index asset_placements_by_asset on asset_placements using hash (asset_id);

-- The words of a name once more for each domain that a candidate ties the asset to, behind an @ and what stands for the
-- domain: a search of a domain reads what its own assets have, and not what all of the tenant have. Two domains that had
-- the same by chance would be slower to search and no more: who sees what is asked of the marks.
create function domain_tag(p_tenant text, p_domain text) returns text language sql immutable parallel safe
set search_path = pg_catalog as $$
  select '@' || left(encode(sha256(convert_to(p_tenant || ' ' || p_domain, 'UTF8')), 'base64'), 5)
$$;

create function words_in_domains(p_words tsvector, p_tenant text, p_domains text[]) returns tsvector
language sql immutable as $$
  select array_to_tsvector(
    array(select lexeme from unnest(p_words) where left(lexeme, 1) <> '@')
    || array(select public.domain_tag(p_tenant, domain) || substr(lexeme, 5)
               from unnest(p_domains) as domain cross join unnest(p_words)
              where left(lexeme, 1) not in ('#', '~', '@')))
$$;

create function domains_of(p_tenant text, p_asset text) returns text[] language sql stable as $$
  select array(select distinct p.domain_id from public.asset_placements p
                where p.tenant_id = p_tenant and p.asset_id = p_asset and p.domain_id is not null)
$$;

create or replace function search_renamed() returns trigger language plpgsql as $$
begin
  update public.asset_search s
     set words = public.words_in_domains(
           array_to_tsvector(public.name_lexemes(new) || array(
             select lexeme from unnest(s.words) where left(lexeme, 1) in ('#', '~'))),
           new.tenant_id, public.domains_of(new.tenant_id, new.asset_id))
   where s.tenant_id = new.tenant_id and s.asset_id = new.asset_id;
  return null;
end
$$;

create or replace function search_placed() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from placed) then
    return null;
  end if;
  with due as materialized (
    select a.tenant_id, a.asset_id, public.search_marks(a) as marks, public.domains_of(a.tenant_id, a.asset_id) as domains
      from (select distinct tenant_id, asset_id from placed) d join public.assets a using (tenant_id, asset_id)
     where a.status = 'active'
  )
  update public.asset_search s set marks = due.marks, words = public.words_in_domains(s.words, s.tenant_id, due.domains)
    from due where s.tenant_id = due.tenant_id and s.asset_id = due.asset_id and s.marks <> due.marks;
  return null;
end
$$;

create or replace function rebuild_search(p_tenant text) returns void language sql as $$
  delete from public.asset_search where tenant_id = p_tenant;
  insert into public.asset_search (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at, public.search_marks(a),
         public.words_in_domains(array_to_tsvector(public.name_lexemes(a)), a.tenant_id, public.domains_of(a.tenant_id, a.asset_id))
    from public.assets a where a.tenant_id = p_tenant
$$;

-- What there is already, while there are few indexes to write. The owner of the tables is bound by their policies, and has
-- none. A change of the moment alone is in no index from here on, and writes none.
drop index asset_search_words, asset_search_changed;
alter table asset_search set (toast_tuple_target = 1024);
alter table asset_search no force row level security;
alter table asset_placements no force row level security;
update asset_search s set words = words_in_domains(s.words, s.tenant_id, p.domains)
  from (select tenant_id, asset_id, array_agg(distinct domain_id) as domains from asset_placements
         where domain_id is not null group by tenant_id, asset_id) p
 where p.tenant_id = s.tenant_id and p.asset_id = s.asset_id;
alter table asset_search force row level security;
alter table asset_placements force row level security;
create index asset_search_words on asset_search using gin (marks, words) with (gin_pending_list_limit = 1024);
create index asset_search_by_asset on asset_search using hash (asset_id);

-- Ids of the p_limit active assets that changed last, after a place where one is given, that have the words of p_query,
-- where it is not empty, one of p_any, where they are not null, and all of p_all. By the index of words, where what is
-- frequent is met by a walk through the list itself. What many have, as p_all, is asked of each that is found, since to
-- read who all of those are takes longer.
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
    select s.asset_id, s.changed_at, s.marks from public.asset_search s
     where s.tenant_id = v_tenant and s.active
       and (p_after is null or (s.changed_at, s.asset_id) < (p_after, p_after_id))
       and (numnode(p_query) = 0 or s.words @@ p_query)
       and (p_any is null or s.marks && p_any)
    offset 0) f
   where f.marks @> p_all
   order by f.changed_at desc, f.asset_id desc limit p_limit;
end
$$;
reset role;
revoke create on schema public from svc_search;
