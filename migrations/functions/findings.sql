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

-- Resolves the findings of a deleted asset, none before its last change. Its risk stays, in case the asset comes back.
create or replace function settle_deleted_asset()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
declare
  -- The previous release leaves `deleted_at` of an earlier deletion as it is.
  v_at timestamptz := coalesce(nullif(new.deleted_at, old.deleted_at), now());
begin
  update public.findings
     set status = 'resolved', resolved_at = greatest(v_at, changed_at), changed_at = greatest(v_at, changed_at),
         revision = revision + 1
   where tenant_id = new.tenant_id and asset_id = new.asset_id and status <> 'resolved';
  return null;
end
$$;

create or replace trigger assets_deleted after update of status on assets
  for each row when (new.status = 'deleted' and old.status <> 'deleted')
  execute function settle_deleted_asset();
