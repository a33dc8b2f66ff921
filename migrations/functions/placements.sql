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
     -- One by one, also under a plan that was made while there were no assets.
     cross join lateral (
       select status from public.assets where tenant_id = b.tenant_id and asset_id = b.asset_id offset 0) a
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
