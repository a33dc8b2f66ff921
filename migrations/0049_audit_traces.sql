-- What the audit trail is told of beside changes that people make: answers that nothing was found, and ends of campaigns.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table principals, campaigns in share row exclusive mode;

-- How often somebody was answered at an endpoint that nothing was found, in a window that began with the first such answer.
-- One row for each, whatever was asked for: the next window takes the place of the last.
create table not_found_counts (
  tenant_id text not null,
  principal_id text not null,
  endpoint text not null constraint not_found_counts_endpoint check (endpoint ~ '^[a-z][a-z0-9-]{0,63}$'),
  window_start timestamptz not null,
  count integer not null constraint not_found_counts_count check (count > 0),
  primary key (tenant_id, principal_id, endpoint),
  foreign key (tenant_id, principal_id) references principals
);
call protect_tenant_table('not_found_counts');
grant select, insert, update (window_start, count) on not_found_counts to svc_app;

-- Ends of campaigns that are not yet in the trail, as they were: one that is taken up again ends again. Settling serves many
-- tenants in one transaction and may write no trail, so the end is noted with it, and moved to the trail in a transaction of
-- its tenant: a crash in between delays it, and neither loses nor doubles it.
create table campaign_ends (
  tenant_id text not null,
  end_id bigint generated always as identity,
  campaign_id text not null,
  status text not null constraint campaign_ends_status check (status in ('completed', 'cancelled')),
  units_completed integer not null,
  units_dead integer not null,
  units_cancelled integer not null,
  finished_at timestamptz,
  primary key (tenant_id, end_id),
  foreign key (tenant_id, campaign_id) references campaigns
);
call protect_tenant_table('campaign_ends');
create policy engine on campaign_ends to svc_engine using (true);
grant select, insert, delete on campaign_ends to svc_app;
grant select (tenant_id), insert on campaign_ends to svc_engine;

create function note_campaign_end() returns trigger language plpgsql as $$
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
-- One without units is complete from the start. A cancelled one has ended once the last of its units is marked.
create trigger campaigns_ended_insert after insert on campaigns
  for each row when (new.status = 'completed') execute function note_campaign_end();
create trigger campaigns_ended_update after update on campaigns
  for each row when (
    (new.status = 'completed' and old.status <> 'completed')
    or (new.status = 'cancelled' and not new.cancelling and (old.status <> 'cancelled' or old.cancelling)))
  execute function note_campaign_end();
