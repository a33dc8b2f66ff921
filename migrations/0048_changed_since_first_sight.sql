-- Home counts what has changed after it was first seen, and asks once for an asset and domain, however many types are in
-- question. Who governs sees which domains without an owner have waited how long. An owner's period can be changed.
--
-- For a million placements it takes some 20 seconds on two cores where a fifth of the assets have changed since they were first
-- seen and a fifth have two questions in one domain; it grows with the number of placements. Meanwhile whoever writes about
-- assets waits, and so does whoever reads where they stand or their versions.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs. Writers lock an asset first.
lock table assets, candidates in exclusive mode;
lock table asset_versions, asset_placements, placement_changes, domain_days in access exclusive mode;

-- The asset has a version after its first one.
alter table asset_placements add column changed_since_first_sight boolean not null default false;
-- Null where the asset has not changed since it was first seen: `domain_days` counts days of changes alone.
alter table placement_changes alter column day drop not null;

-- As before, and whether the asset has changed since it was first seen. An asset is one question to a domain, of however many
-- types.
create or replace function placements_of(p_tenant text, p_assets text[]) returns setof asset_placements
language sql stable as $$
  select a.tenant_id, a.asset_id, t.domain_id, t.information_type_id, a.scope_id,
         coalesce(t.provenance, 'unclassified'), coalesce(t.firmest, true), a.label_state, a.risk_severity,
         case when coalesce(t.firmest, true) then
           (select count(*)::smallint from public.findings f
             where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved')
         else 0 end,
         case when t.firmest then t.pending_reviews else 0 end, a.changed_at, t.candidate_id, t.confidence,
         t.status, t.decision_id,
         exists (select from public.asset_versions v
                  where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id and v.version > 1)
    from public.assets a
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
   where a.tenant_id = p_tenant and a.status = 'active' and a.asset_id = any(p_assets)
$$;

-- As before, with the new column.
create or replace function place_assets(p_tenant text, p_assets text[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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

-- As before, but that first sight has no day.
create or replace function count_placements() returns trigger language plpgsql as $$
declare
  v_came public.asset_placements[] := '{}';
  v_went public.asset_placements[] := '{}';
begin
  if tg_op <> 'DELETE' then
    v_came := array(select b from became b where b.firmest);
  end if;
  if tg_op <> 'INSERT' then
    v_went := array(select w from was w where w.firmest);
  end if;
  -- Most statements of a placing meet no row.
  if cardinality(v_came) + cardinality(v_went) = 0 then
    return null;
  end if;
  insert into public.placement_changes (tenant_id, cell, domain_id, information_type_id, scope_id, provenance, label_state,
                                        risk_severity, day, assets, open_findings, pending_reviews)
  select m.tenant_id,
         public.landscape_cell(m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity),
         m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity, m.day,
         m.assets, m.open_findings, m.pending_reviews
    from (
      select p.tenant_id, coalesce(p.domain_id, '') as domain_id, coalesce(p.information_type_id, '') as type_id,
             p.scope_id, p.provenance, p.label_state, coalesce(p.risk_severity, '') as risk_severity,
             case when p.changed_since_first_sight then (p.changed_at at time zone 'UTC')::date end as day,
             sum(p.sign) as assets,
             sum(p.sign * p.open_findings) as open_findings, sum(p.sign * p.pending_reviews) as pending_reviews
        from (select 1 as sign, c.* from unnest(v_came) c union all select -1, w.* from unnest(v_went) w) p
       group by 1, 2, 3, 4, 5, 6, 7, 8
    ) m
   where (m.assets, m.open_findings, m.pending_reviews) <> (0, 0, 0);
  return null;
end
$$;

create or replace function fold_placements(p_tenant text, p_most integer) returns bigint language plpgsql as $$
declare
  v_folded public.placement_changes[];
begin
  with due as (
    select change_id from public.placement_changes where tenant_id = p_tenant
     order by change_id limit p_most for update skip locked
  ), folded as (
    delete from public.placement_changes c using due
     where c.tenant_id = p_tenant and c.change_id = due.change_id returning c.*
  )
  select array_agg(f::public.placement_changes) into v_folded from folded f;
  insert into public.landscape_cells as c
  select f.tenant_id, f.cell, f.domain_id, f.information_type_id, f.scope_id, f.provenance, f.label_state, f.risk_severity,
         sum(f.assets), sum(f.open_findings), sum(f.pending_reviews)
    from unnest(v_folded) f
   group by 1, 2, 3, 4, 5, 6, 7, 8
  having (sum(f.assets), sum(f.open_findings), sum(f.pending_reviews)) <> (0, 0, 0)
   order by f.cell
  on conflict (tenant_id, cell) do update
    set assets = c.assets + excluded.assets, open_findings = c.open_findings + excluded.open_findings,
        pending_reviews = c.pending_reviews + excluded.pending_reviews;
  insert into public.domain_days as d
  select f.tenant_id, f.domain_id, f.day, sum(f.assets) from unnest(v_folded) f where f.domain_id <> '' and f.day is not null
   group by 1, 2, 3 having sum(f.assets) <> 0 order by 2, 3
  on conflict (tenant_id, domain_id, day) do update set assets = d.assets + excluded.assets;
  return coalesce(cardinality(v_folded), 0);
end
$$;

create or replace function rebuild_placements(p_tenant text) returns void language plpgsql as $$
declare
  v_assets text[];
  v_after text := '';
begin
  alter table public.asset_placements disable trigger user;
  delete from public.asset_placements where tenant_id = p_tenant;
  delete from public.landscape_cells where tenant_id = p_tenant;
  delete from public.domain_days where tenant_id = p_tenant;
  delete from public.placement_changes where tenant_id = p_tenant;
  loop
    v_assets := array(select asset_id from public.assets where tenant_id = p_tenant and asset_id > v_after
                       order by asset_id limit 20000);
    exit when v_assets = '{}';
    insert into public.asset_placements select * from public.placements_of(p_tenant, v_assets);
    v_after := v_assets[cardinality(v_assets)];
  end loop;
  alter table public.asset_placements enable trigger user;
  insert into public.landscape_cells
  select m.tenant_id,
         public.landscape_cell(m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity),
         m.domain_id, m.type_id, m.scope_id, m.provenance, m.label_state, m.risk_severity, m.assets, m.open_findings,
         m.pending_reviews
    from (
      select p.tenant_id, coalesce(p.domain_id, '') as domain_id, coalesce(p.information_type_id, '') as type_id,
             p.scope_id, p.provenance, p.label_state, coalesce(p.risk_severity, '') as risk_severity, count(*) as assets,
             sum(p.open_findings) as open_findings, sum(p.pending_reviews) as pending_reviews
        from public.asset_placements p where p.tenant_id = p_tenant and p.firmest
       group by 1, 2, 3, 4, 5, 6, 7
    ) m;
  insert into public.domain_days
  select p.tenant_id, p.domain_id, (p.changed_at at time zone 'UTC')::date, count(*) from public.asset_placements p
   where p.tenant_id = p_tenant and p.firmest and p.domain_id is not null and p.changed_since_first_sight group by 1, 2, 3;
end
$$;

-- The second version makes the difference, whatever else it changes. Rows of one statement are seen whole: this runs at its
-- end.
create function place_changed() returns trigger language plpgsql as $$
begin
  perform public.place_assets(new.tenant_id, array[new.asset_id]);
  return null;
end
$$;
create trigger asset_versions_placed after insert on asset_versions
  for each row when (new.version = 2) execute function place_changed();

-- What there is already.
alter table asset_versions no force row level security;
alter table asset_placements no force row level security;
alter table placement_changes no force row level security;
alter table domain_days no force row level security;
insert into placement_changes (tenant_id, cell, domain_id, information_type_id, scope_id, provenance, label_state,
                               risk_severity, assets, open_findings, pending_reviews)
select p.tenant_id,
       landscape_cell(p.domain_id, coalesce(p.information_type_id, ''), p.scope_id, p.provenance, p.label_state,
                      coalesce(p.risk_severity, '')),
       p.domain_id, coalesce(p.information_type_id, ''), p.scope_id, p.provenance, p.label_state,
       coalesce(p.risk_severity, ''), 0, 0, sum(1 - p.pending_reviews)
  from asset_placements p where p.pending_reviews > 1
 group by 1, 2, 3, 4, 5, 6, 7, 8;
alter table asset_placements disable trigger user;
update asset_placements set pending_reviews = 1 where pending_reviews > 1;
update asset_placements p set changed_since_first_sight = true
  from (select distinct tenant_id, asset_id from asset_versions where version > 1) changed
 where p.tenant_id = changed.tenant_id and p.asset_id = changed.asset_id;
alter table asset_placements enable trigger user;
-- Counted anew, and what waits to be folded is within that.
update placement_changes set day = null;
delete from domain_days;
insert into domain_days
select p.tenant_id, p.domain_id, (p.changed_at at time zone 'UTC')::date, count(*) from asset_placements p
 where p.firmest and p.domain_id is not null and p.changed_since_first_sight group by 1, 2, 3;
alter table asset_versions force row level security;
alter table asset_placements force row level security;
alter table placement_changes force row level security;
alter table domain_days force row level security;

-- The question of a domain that has waited longest.
create index candidates_waiting on candidates (tenant_id, domain_id, created_at) where status = 'pending' and asset_active;

-- The date follows from the period. That of an assignment that has ended stays what it was.
create or replace trigger owner_assignments_ended
  before update of attested_at, ended_at, overdue_noted_at, attestation_days on owner_assignments
  for each row when (old.ended_at is not null) execute function keep_ended_assignment();
grant update (attestation_days) on owner_assignments to svc_app;
