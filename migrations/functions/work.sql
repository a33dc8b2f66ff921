-- Adds units to a campaign of the tenant, except those whose logical key it has, and returns how many. A known key is
-- rare: only then each key is looked up.
create or replace function add_units(p_campaign text, p_kinds text[], p_keys text[], p_payloads text[], p_at timestamp with time zone)
 returns integer
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
declare
  v_tenant text := current_setting('svc.tenant_id');
  v_added integer;
begin
  perform from public.campaigns where tenant_id = v_tenant and campaign_id = p_campaign;
  if not found then
    raise exception 'no such campaign' using errcode = 'foreign_key_violation', table = 'work_units';
  end if;
  begin
    insert into public.work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
      select v_tenant, p_campaign, u.kind, u.logical_key, u.payload::jsonb, p_at, p_at
        from unnest(p_kinds, p_keys, p_payloads) as u (kind, logical_key, payload);
    get diagnostics v_added = row_count;
  exception when unique_violation then
    insert into public.work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
      select v_tenant, p_campaign, u.kind, u.logical_key, u.payload::jsonb, p_at, p_at
        from unnest(p_kinds, p_keys, p_payloads) as u (kind, logical_key, payload)
      on conflict on constraint work_units_once do nothing;
    get diagnostics v_added = row_count;
  end;
  return v_added;
end
$$;
revoke all on function add_units(text, text[], text[], text[], timestamptz) from public;
grant execute on function add_units(text, text[], text[], text[], timestamptz) to svc_app;

-- Keeps the counts of a campaign's units.
create or replace function count_campaign()
 returns trigger
 language plpgsql
as $$
declare
  v_was integer := case when old.status in ('completed', 'cancelled') then 1 else 0 end;
  v_is integer := case when new.status in ('completed', 'cancelled') then 1 else 0 end;
  v_by public.tenant_counters;
begin
  v_by.tenant_id := new.tenant_id;
  v_by.ended_units := v_is * new.units_total - v_was * old.units_total;
  v_by.ended_completed := v_is * new.units_completed - v_was * old.units_completed;
  v_by.ended_dead := v_is * new.units_dead - v_was * old.units_dead;
  if 0 <> any (array[v_by.ended_units, v_by.ended_completed, v_by.ended_dead]) then
    perform public.add_to_counters(v_by);
  end if;
  return null;
end
$$;

create or replace trigger campaigns_counted_update after update on campaigns
  for each row when (old.status in ('completed', 'cancelled') or new.status in ('completed', 'cancelled'))
  execute function count_campaign();

create or replace function count_campaigns()
 returns trigger
 language plpgsql
as $$
declare
  v_by public.tenant_counters;
begin
  for v_by in
    select tenant_id, null, null, null, null, null, null, null, sum(units_total), sum(units_completed), sum(units_dead)
      from became where status in ('completed', 'cancelled') group by tenant_id
  loop
    perform public.add_to_counters(v_by);
  end loop;
  return null;
end
$$;

create or replace trigger campaigns_counted_insert after insert on campaigns referencing new table as became
  for each statement execute function count_campaigns();

create or replace function note_campaign_end()
 returns trigger
 language plpgsql
as $$
begin
  -- What follows decisions comes with every answer, and is worth an event where something of it died.
  if new.follows_decisions and new.status = 'completed' and not exists (
    select from public.dead_letters d where d.tenant_id = new.tenant_id and d.campaign_id = new.campaign_id)
  then
    return null;
  end if;
  insert into public.campaign_ends (tenant_id, campaign_id, status, units_completed, units_dead, units_cancelled, finished_at)
  values (new.tenant_id, new.campaign_id, new.status, new.units_completed, new.units_dead, new.units_cancelled,
          new.finished_at);
  return null;
end
$$;

create or replace trigger campaigns_ended_insert after insert on campaigns
  for each row when (new.status = 'completed')
  execute function note_campaign_end();
create or replace trigger campaigns_ended_update after update on campaigns
  for each row when (
    (new.status = 'completed' and old.status <> 'completed')
    or (new.status = 'cancelled' and not new.cancelling and (old.status <> 'cancelled' or old.cancelling)))
  execute function note_campaign_end();

-- Adds the values of the row to the counters of its tenant. Null adds nothing.
create or replace function add_to_counters(p_by tenant_counters)
 returns void
 language plpgsql
as $$
begin
  update public.tenant_counters c
     set not_fetched = c.not_fetched + coalesce(p_by.not_fetched, 0),
         available = c.available + coalesce(p_by.available, 0),
         partial = c.partial + coalesce(p_by.partial, 0),
         unsupported = c.unsupported + coalesce(p_by.unsupported, 0),
         failed = c.failed + coalesce(p_by.failed, 0),
         inaccessible = c.inaccessible + coalesce(p_by.inaccessible, 0),
         ended_units = c.ended_units + coalesce(p_by.ended_units, 0),
         ended_completed = c.ended_completed + coalesce(p_by.ended_completed, 0),
         ended_dead = c.ended_dead + coalesce(p_by.ended_dead, 0)
   where c.tenant_id = p_by.tenant_id
     and c.slot = (select s.slot from public.tenant_counters s where s.tenant_id = p_by.tenant_id
                    limit 1 for no key update skip locked);
  if not found then
    insert into public.tenant_counters (tenant_id) values (p_by.tenant_id);
    perform public.add_to_counters(p_by);
  end if;
end
$$;

-- Counts active assets by content state, once for a statement. Assets are never removed, only marked as deleted.
create or replace function count_assets()
 returns trigger
 language plpgsql
as $$
declare
  v_by public.tenant_counters;
begin
  if tg_op = 'INSERT' then
    for v_by in
      select tenant_id, null, count(*) filter (where content_state = 'not_fetched'),
             count(*) filter (where content_state = 'available'), count(*) filter (where content_state = 'partial'),
             count(*) filter (where content_state = 'unsupported'), count(*) filter (where content_state = 'failed'),
             count(*) filter (where content_state = 'inaccessible'), null, null, null
        from became where status = 'active' group by tenant_id
    loop
      perform public.add_to_counters(v_by);
    end loop;
    return null;
  end if;
  for v_by in
    select tenant_id, null, sum(case content_state when 'not_fetched' then amount end),
           sum(case content_state when 'available' then amount end), sum(case content_state when 'partial' then amount end),
           sum(case content_state when 'unsupported' then amount end), sum(case content_state when 'failed' then amount end),
           sum(case content_state when 'inaccessible' then amount end), null, null, null
      from (select tenant_id, content_state, 1 as amount from became where status = 'active'
            union all select tenant_id, content_state, -1 from was where status = 'active') moved
     group by tenant_id
  loop
    if 0 <> any (array[v_by.not_fetched, v_by.available, v_by.partial, v_by.unsupported, v_by.failed, v_by.inaccessible])
    then
      perform public.add_to_counters(v_by);
    end if;
  end loop;
  return null;
end
$$;

create or replace trigger assets_counted_insert after insert on assets referencing new table as became
  for each statement execute function count_assets();
create or replace trigger assets_counted_update after update on assets referencing old table as was new table as became
  for each statement execute function count_assets();
