-- Where each asset stands for those who read: kept as it changes, so that no list walks past what its reader may not
-- see, and no count reads a million rows.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, candidates, findings in access exclusive mode;

-- When its newest version was observed: what the list of assets goes by. `last_seen_at` is the same for all that a walk
-- has met. In milliseconds, so that whoever goes on from an asset knows its place exactly.
alter table assets add column changed_at timestamptz(3) not null default now();
-- While there are few indexes to write. The owner of the tables is bound by their policies, and has none.
drop index assets_recent, assets_risk;
alter table assets no force row level security;
alter table asset_versions no force row level security;
alter table assets disable trigger user;
update assets a
   set changed_at = coalesce((select v.observed_at from asset_versions v
                               where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id
                               order by v.version desc limit 1), a.first_seen_at);
alter table assets enable trigger user;

-- One row per active asset, domain and information type that a candidate ties it to, and one row without a domain for
-- an asset that none ties to any. What ties is pending, deferred or confirmed. A type of another domain, by which an
-- owner of both corrected it, is not told here: the candidate in that domain has a row of its own.
create table asset_placements (
  tenant_id text not null,
  asset_id text not null,
  domain_id text,
  information_type_id text,
  scope_id text not null,
  provenance text not null constraint asset_placements_provenance
    check (provenance in ('confirmed', 'inferred', 'routed', 'unclassified')),
  -- The firmest of the asset in the domain: what an owner confirmed, then what the model is surest of. One each.
  firmest boolean not null,
  label_state text not null,
  risk_severity text,
  -- Of the asset, and of its candidates in the domain; both on the firmest row alone, so that a sum counts them once.
  open_findings smallint not null,
  pending_reviews smallint not null,
  changed_at timestamptz(3) not null,
  -- The firmest of those that say so: how sure the model was of it, how it stands, and by which decision.
  candidate_id text,
  confidence double precision,
  status text,
  decision_id text,
  constraint asset_placements_once unique nulls not distinct (tenant_id, asset_id, domain_id, information_type_id),
  constraint asset_placements_domain
    check ((domain_id is null) = (provenance = 'unclassified') and (domain_id is null) = (candidate_id is null)),
  -- What it says of domains and types comes from rows that are bound to them.
  foreign key (tenant_id, asset_id) references assets
);
-- The same for who sees all assets.
create index assets_changed on assets (tenant_id, changed_at desc, asset_id desc) where status = 'active';
create index assets_changed_risk on assets (tenant_id, risk_severity, changed_at desc, asset_id desc)
  where status = 'active' and risk_severity is not null;
create index assets_changed_label on assets (tenant_id, label_state, changed_at desc, asset_id desc)
  where status = 'active';

-- The landscape, counted by the firmest rows; '' stands for none. What changes is appended to placement_changes, so that
-- no writer waits for another one, and folded into the counts by a timer: a count is that of its row and of all changes.
create function landscape_cell(p_domain text, p_type text, p_scope text, p_provenance text, p_label text, p_risk text)
returns uuid language sql immutable
return md5(p_domain || ' ' || p_type || ' ' || p_scope || ' ' || p_provenance || ' ' || p_label || ' ' || p_risk)::uuid;

create table landscape_cells (
  tenant_id text not null references tenants,
  -- All that an asset in it has in common with the others.
  cell uuid not null,
  domain_id text not null,
  information_type_id text not null,
  scope_id text not null,
  provenance text not null,
  label_state text not null,
  risk_severity text not null,
  assets integer not null,
  open_findings integer not null,
  pending_reviews integer not null,
  primary key (tenant_id, cell)
) with (fillfactor = 80);
create index landscape_cells_largest on landscape_cells (tenant_id, assets desc, cell);
create index landscape_cells_domain on landscape_cells (tenant_id, domain_id, assets desc, cell);

-- Assets of a domain by the day (UTC) on which they changed last.
create table domain_days (
  tenant_id text not null references tenants,
  domain_id text not null,
  day date not null,
  assets integer not null,
  primary key (tenant_id, domain_id, day)
);

create table placement_changes (
  tenant_id text not null references tenants,
  change_id bigint generated always as identity,
  cell uuid not null,
  domain_id text not null,
  information_type_id text not null,
  scope_id text not null,
  provenance text not null,
  label_state text not null,
  risk_severity text not null,
  day date not null,
  -- By how much each count moves.
  assets integer not null,
  open_findings integer not null,
  pending_reviews integer not null,
  primary key (tenant_id, change_id)
);
create index placement_changes_domain on placement_changes (tenant_id, domain_id);

-- Rows as they should be, of some assets of a tenant.
create function placements_of(p_tenant text, p_assets text[]) returns setof asset_placements
language sql stable as $$
  select a.tenant_id, a.asset_id, t.domain_id, t.information_type_id, a.scope_id,
         coalesce(t.provenance, 'unclassified'), coalesce(t.firmest, true), a.label_state, a.risk_severity,
         case when coalesce(t.firmest, true) then
           (select count(*)::smallint from public.findings f
             where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved')
         else 0 end,
         case when t.firmest then t.pending_reviews else 0 end, a.changed_at, t.candidate_id, t.confidence,
         t.status, t.decision_id
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
                 (count(*) filter (where k.status = 'pending') over (partition by k.domain_id))::smallint as pending_reviews
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

-- Brings the rows of some assets up to date, some hundreds at a time; writes what differs and nothing else. It is planned
-- once in a session, which takes longer than to run it, and by the indexes, since tables may be empty still.
create function place_assets(p_tenant text, p_assets text[]) returns void language plpgsql
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
          decision_id = excluded.decision_id
    where (p.provenance, p.firmest, p.label_state, p.risk_severity, p.open_findings, p.pending_reviews, p.changed_at,
           p.candidate_id, p.confidence, p.status, p.decision_id)
          is distinct from (excluded.provenance, excluded.firmest, excluded.label_state, excluded.risk_severity,
                            excluded.open_findings, excluded.pending_reviews, excluded.changed_at,
                            excluded.candidate_id, excluded.confidence, excluded.status, excluded.decision_id);
  end loop;
end
$$;

-- What came and what went: once for a statement, however many rows it wrote.
create function count_placements() returns trigger language plpgsql as $$
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
             (p.changed_at at time zone 'UTC')::date as day, sum(p.sign) as assets,
             sum(p.sign * p.open_findings) as open_findings, sum(p.sign * p.pending_reviews) as pending_reviews
        from (select 1 as sign, c.* from unnest(v_came) c union all select -1, w.* from unnest(v_went) w) p
       group by 1, 2, 3, 4, 5, 6, 7, 8
    ) m
   where (m.assets, m.open_findings, m.pending_reviews) <> (0, 0, 0);
  return null;
end
$$;
create trigger asset_placements_counted_insert after insert on asset_placements
  referencing new table as became for each statement execute function count_placements();
create trigger asset_placements_counted_update after update on asset_placements
  referencing old table as was new table as became for each statement execute function count_placements();
create trigger asset_placements_counted_delete after delete on asset_placements
  referencing old table as was for each statement execute function count_placements();

-- Folds the oldest changes of a tenant into the counts, at most p_most of them; how many there were. Two that fold at
-- once take different ones, and count in the same order.
create function fold_placements(p_tenant text, p_most integer) returns bigint language plpgsql as $$
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
  select f.tenant_id, f.domain_id, f.day, sum(f.assets) from unnest(v_folded) f where f.domain_id <> ''
   group by 1, 2, 3 having sum(f.assets) <> 0 order by 2, 3
  on conflict (tenant_id, domain_id, day) do update set assets = d.assets + excluded.assets;
  return coalesce(cardinality(v_folded), 0);
end
$$;

-- What a statement changes of where assets stand. Assets and candidates are never removed, nor findings.
create function place_inserted() returns trigger language plpgsql as $$
declare
  v_changed record;
begin
  for v_changed in select tenant_id, array_agg(distinct asset_id) as assets from became group by tenant_id loop
    perform public.place_assets(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create function place_updated_assets() returns trigger language plpgsql as $$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(b.asset_id) as assets
      from became b join was w using (tenant_id, asset_id)
     where (b.status, b.label_state, b.risk_severity, b.changed_at)
           is distinct from (w.status, w.label_state, w.risk_severity, w.changed_at)
     group by b.tenant_id
  loop
    perform public.place_assets(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create function place_updated_candidates() returns trigger language plpgsql as $$
declare
  v_changed record;
begin
  for v_changed in
    select b.tenant_id, array_agg(distinct b.asset_id) as assets
      from became b join was w using (tenant_id, candidate_id)
     where (b.status, b.decision_id, b.band, b.confidence) is distinct from (w.status, w.decision_id, w.band, w.confidence)
     group by b.tenant_id
  loop
    perform public.place_assets(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

-- The end of an asset resolves its findings and takes its rows away by itself.
create function place_updated_findings() returns trigger language plpgsql as $$
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
    perform public.place_assets(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

create trigger assets_placed_insert after insert on assets
  referencing new table as became for each statement execute function place_inserted();
create trigger assets_placed_update after update on assets
  referencing old table as was new table as became for each statement execute function place_updated_assets();
create trigger candidates_placed_insert after insert on candidates
  referencing new table as became for each statement execute function place_inserted();
create trigger candidates_placed_update after update on candidates
  referencing old table as was new table as became for each statement execute function place_updated_candidates();
create trigger findings_placed_insert after insert on findings
  referencing new table as became for each statement execute function place_inserted();
create trigger findings_placed_update after update on findings
  referencing old table as was new table as became for each statement execute function place_updated_findings();

-- Makes all of it anew for a tenant: after its rows were written without the triggers.
create function rebuild_placements(p_tenant text) returns void language plpgsql as $$
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
   where p.tenant_id = p_tenant and p.firmest and p.domain_id is not null group by 1, 2, 3;
end
$$;

-- What there is already.
alter table candidates no force row level security;
alter table decisions no force row level security;
alter table findings no force row level security;
alter table information_types no force row level security;
alter table tenants no force row level security;
select rebuild_placements(tenant_id) from tenants;

-- A list of a domain, and of it by one filter; `firmest`, so that an asset is met once.
create index asset_placements_changed on asset_placements (tenant_id, domain_id, changed_at desc, asset_id desc)
  where firmest and domain_id is not null;
create index asset_placements_risk on asset_placements
  (tenant_id, domain_id, risk_severity, changed_at desc, asset_id desc)
  where firmest and domain_id is not null and risk_severity is not null;
create index asset_placements_label on asset_placements (tenant_id, domain_id, label_state, changed_at desc, asset_id desc)
  where firmest and domain_id is not null;
-- Whatever else the asset is.
create index asset_placements_type on asset_placements (tenant_id, information_type_id, changed_at desc, asset_id desc)
  where information_type_id is not null;

alter table assets force row level security;
alter table asset_versions force row level security;
alter table candidates force row level security;
alter table decisions force row level security;
alter table findings force row level security;
alter table information_types force row level security;
alter table tenants force row level security;

call protect_tenant_table('asset_placements');
call protect_tenant_table('landscape_cells');
call protect_tenant_table('domain_days');
call protect_tenant_table('placement_changes');
grant select, insert, update, delete on asset_placements to svc_app;
grant select, insert, update (assets, open_findings, pending_reviews) on landscape_cells to svc_app;
grant select, insert, update (assets) on domain_days to svc_app;
grant select, insert, update (change_id), delete on placement_changes to svc_app;
create policy engine on placement_changes for select to svc_engine using (true);
grant select (tenant_id) on placement_changes to svc_engine;
