-- A unit moves through its indexes twice, as it is leased and as it is settled, and a campaign gains them by the
-- thousand: there are as few as will do, and their keys are short.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table work_units, campaigns in access exclusive mode;

-- An id of a campaign is its own in all tenants, so that it alone stands for both in what is keyed by it.
alter table campaigns add constraint campaigns_id unique (campaign_id);
alter table work_units drop constraint work_units_once;
alter table work_units add constraint work_units_once unique (campaign_id, logical_key) with (fillfactor = 40);
-- Room for the entries of both updates beside the first, so that pages are neither split nor searched for what to drop.
alter index work_units_pkey set (fillfactor = 40);
-- What is leased is found by the end of its lease.
drop index work_units_open;
drop index work_units_due;
create index work_units_due on work_units (campaign_id, run_after, unit_id) where status = 'pending';

-- Looked up once for all units that are added, rather than for each of them. No role of the service deletes campaigns.
alter table work_units drop constraint work_units_tenant_id_campaign_id_fkey;

-- Adds units to a campaign of the transaction's tenant, save those whose logical key it has, and says how many. A key
-- that is there already is rare: only then each is looked for.
create function add_units(p_campaign text, p_kinds text[], p_keys text[], p_payloads text[], p_at timestamptz)
returns integer language plpgsql set search_path = pg_catalog, public as $$
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
