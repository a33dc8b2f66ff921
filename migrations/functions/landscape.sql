-- The key of a cell of the landscape. '' stands for none.
create or replace function landscape_cell(p_domain text, p_type text, p_scope text, p_provenance text, p_label text, p_risk text)
 returns uuid
 language sql
 immutable
RETURN (md5(((((((((((p_domain || ' '::text) || p_type) || ' '::text) || p_scope) || ' '::text) || p_provenance) || ' '::text) || p_label) || ' '::text) || p_risk)))::uuid;

-- Appends what a statement changes of the counts to placement_changes, so that no writer waits for another one. A timer
-- folds the changes into the counts. Assets that have one version only have no day.
create or replace function count_placements()
 returns trigger
 language plpgsql
as $$
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

create or replace trigger asset_placements_counted_delete after delete on asset_placements referencing old table as was
  for each statement execute function count_placements();
create or replace trigger asset_placements_counted_insert after insert on asset_placements referencing new table as became
  for each statement execute function count_placements();
create or replace trigger asset_placements_counted_update after update on asset_placements referencing old table as was new table as became
  for each statement execute function count_placements();

-- Folds the oldest changes of a tenant into the counts, at most p_most, and returns how many. Two callers at once take
-- different changes and lock the counts in the same order.
create or replace function fold_placements(p_tenant text, p_most integer)
 returns bigint
 language plpgsql
as $$
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

-- Rebuilds placements and counts of a tenant after its rows were written without the triggers.
create or replace function rebuild_placements(p_tenant text)
 returns void
 language plpgsql
as $$
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
