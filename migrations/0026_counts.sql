-- What operations is told of, kept as it changes, so that no read counts a million rows.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table dead_letters, assets, campaigns in access exclusive mode;

-- The newest dead letters of a tenant.
create index dead_letters_recent on dead_letters (tenant_id, created_at desc, dead_letter_id desc);

-- Counters of a tenant. Each is the sum of its slots: a writer takes any slot that no other transaction holds, or adds
-- one. So nobody waits for a counter, it cannot be part of a deadlock, and there are as many slots as there ever were
-- writers at once. In one slot a counter may be below zero.
create table tenant_counters (
  tenant_id text not null references tenants,
  slot bigint generated always as identity,
  -- Active assets by content state.
  not_fetched bigint not null default 0,
  available bigint not null default 0,
  partial bigint not null default 0,
  unsupported bigint not null default 0,
  failed bigint not null default 0,
  inaccessible bigint not null default 0,
  -- Work units of campaigns that are completed or cancelled: all, completed, dead. The rest of all is cancelled, or
  -- leased for the last time. Active campaigns are few, and bear counters of their own.
  ended_units bigint not null default 0,
  ended_completed bigint not null default 0,
  ended_dead bigint not null default 0,
  primary key (tenant_id, slot)
) with (fillfactor = 50);

-- Adds to the counters what the row says of each, null being nothing.
create function add_to_counters(p_by tenant_counters) returns void language plpgsql as $$
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

-- Once for a statement, however many assets it changes. Assets are never removed, only marked as deleted.
create function count_assets() returns trigger language plpgsql as $$
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
create trigger assets_counted_insert after insert on assets
  referencing new table as became for each statement execute function count_assets();
create trigger assets_counted_update after update on assets
  referencing old table as was new table as became for each statement execute function count_assets();

create function count_campaigns() returns trigger language plpgsql as $$
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
create trigger campaigns_counted_insert after insert on campaigns
  referencing new table as became for each statement execute function count_campaigns();

-- Campaigns end, are taken up again, and see late units settled one at a time; nothing is done for all other updates.
create function count_campaign() returns trigger language plpgsql as $$
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
create trigger campaigns_counted_update after update on campaigns
  for each row when (old.status in ('completed', 'cancelled') or new.status in ('completed', 'cancelled'))
  execute function count_campaign();

-- What there is already. The owner of the tables is bound by their policies, and has none.
alter table assets no force row level security;
alter table campaigns no force row level security;
insert into tenant_counters (tenant_id, not_fetched, available, partial, unsupported, failed, inaccessible)
select tenant_id, count(*) filter (where content_state = 'not_fetched'), count(*) filter (where content_state = 'available'),
       count(*) filter (where content_state = 'partial'), count(*) filter (where content_state = 'unsupported'),
       count(*) filter (where content_state = 'failed'), count(*) filter (where content_state = 'inaccessible')
  from assets where status = 'active' group by tenant_id;
insert into tenant_counters (tenant_id, ended_units, ended_completed, ended_dead)
select tenant_id, sum(units_total), sum(units_completed), sum(units_dead)
  from campaigns where status in ('completed', 'cancelled') group by tenant_id;
alter table assets force row level security;
alter table campaigns force row level security;

call protect_tenant_table('tenant_counters');
create policy engine on tenant_counters to svc_engine using (true);
grant select, insert (tenant_id), update (not_fetched, available, partial, unsupported, failed, inaccessible, ended_units,
  ended_completed, ended_dead) on tenant_counters to svc_app, svc_engine;
