-- An owner knows of a finding and says so. It stands while the finding is acknowledged and no longer.
alter table findings
  add column acknowledged_by text,
  add column acknowledged_at timestamptz,
  add column acknowledge_note text;
alter table findings add constraint findings_acknowledgement check (
  (status = 'acknowledged') = (acknowledged_at is not null)
  and (acknowledged_at is null) = (acknowledged_by is null)
  and (acknowledge_note is null or acknowledged_at is not null));
alter table findings add constraint findings_acknowledged_by foreign key (tenant_id, acknowledged_by) references principals;

-- A judgement puts a finding forward with the status that it has, that of the release before too. Only one that is there
-- can be acknowledged: it is put forward as `open`, which ends no acknowledgement of one that is there.
create function put_finding_forward() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  new.status := 'open';
  return new;
end
$$;
create trigger findings_put_forward before insert on findings
  for each row when (new.status = 'acknowledged' and new.acknowledged_at is null) execute function put_finding_forward();

-- Whatever ends it: a recompute, also one of the release before, or the end of the asset.
create function end_acknowledgement() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  if new.status = 'open' then
    new.status := old.status;
    return new;
  end if;
  new.acknowledged_by := null;
  new.acknowledged_at := null;
  new.acknowledge_note := null;
  return new;
end
$$;
create trigger findings_no_longer_acknowledged before update of status on findings
  for each row when (old.status = 'acknowledged' and new.status <> 'acknowledged') execute function end_acknowledgement();
