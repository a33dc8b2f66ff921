-- Placements were computed by each statement that changes an asset, its candidates, findings or versions: up to five times
-- in the transaction that processes an asset. Now each such statement notes the assets, and they are placed once, when the
-- transaction commits.

-- Notes assets of this transaction. A setting, since it needs no row and ends with the transaction, or with a savepoint.
create function note_placing(p_tenant text, p_assets text[]) returns void language plpgsql as $$
begin
  perform set_config('svc.placing',
    concat_ws(' ', nullif(current_setting('svc.placing', true), ''), p_tenant || ' ' || array_to_string(p_assets, ' ' || p_tenant || ' ')),
    true);
end
$$;

-- Places what has been noted. The first of a transaction's deferred triggers places all, and the others find nothing.
create function place_noted() returns trigger language plpgsql as $$
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
  end loop;
  return null;
end
$$;

create or replace function place_inserted() returns trigger language plpgsql as $$
declare
  v_changed record;
begin
  for v_changed in select tenant_id, array_agg(distinct asset_id) as assets from became group by tenant_id loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;
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
     where (b.status, b.label_state, b.risk_severity, b.changed_at)
           is distinct from (w.status, w.label_state, w.risk_severity, w.changed_at)
     group by b.tenant_id
  loop
    perform public.note_placing(v_changed.tenant_id, v_changed.assets);
  end loop;
  return null;
end
$$;

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

create or replace function place_changed()
 returns trigger
 language plpgsql
as $$
begin
  perform public.note_placing(new.tenant_id, array[new.asset_id]);
  return null;
end
$$;


create constraint trigger assets_placed_at_end after insert or update on assets
  deferrable initially deferred for each row execute function place_noted();
create constraint trigger candidates_placed_at_end after insert or update on candidates
  deferrable initially deferred for each row execute function place_noted();
create constraint trigger findings_placed_at_end after insert or update on findings
  deferrable initially deferred for each row execute function place_noted();
create constraint trigger asset_versions_placed_at_end after insert on asset_versions
  deferrable initially deferred for each row when (new.version = 2) execute function place_noted();
