-- First, because it reads the table: the statements after it take short locks.
alter table source_folders validate constraint source_folders_sharing_state;

-- Search by segments goes, which no release in use calls, and so does the column `value`, which only release 26.11.26.0
-- reads: an index computes the value of a question.
drop trigger if exists asset_search_unsealed on asset_search;
drop function if exists search_unsealed();
drop function if exists seal_search(text, integer, integer, bigint);
drop function if exists write_search_postings(text, integer[]);
set local role svc_search;
drop function if exists find_assets(jsonb, text[], timestamptz, text, integer);
drop function if exists newest_found(jsonb, jsonb, text[], timestamptz, text, integer);
reset role;
alter table asset_search drop column segment, drop column slot;
drop table search_postings;
drop table search_segments;

alter table candidates drop column value;
drop function related_points(integer);

-- Checkpoints of the audit trail are stored by a role of their own, and not by the one of requests. What was set aside when
-- a broken trail was resumed is kept. The
-- timer of the release before signs nothing until it is replaced.
do $$
begin
  begin
    create role svc_signer nologin nosuperuser nobypassrls nocreatedb nocreaterole noinherit;
  exception when duplicate_object or unique_violation then
    null;
  end;
  if not pg_has_role('svc_signer', 'SET') then
    begin
      execute format('grant svc_signer to %I with set true, inherit false', current_user);
    exception when unique_violation then
      null;
    end;
  end if;
end
$$;

revoke insert on audit_checkpoints from svc_app;
create policy signer on audit_heads for select to svc_signer using (tenant_id = current_setting('svc.tenant_id', true));
create policy signer on audit_events for select to svc_signer using (tenant_id = current_setting('svc.tenant_id', true));
create policy signer on audit_checkpoints to svc_signer
  using (tenant_id = current_setting('svc.tenant_id', true)) with check (tenant_id = current_setting('svc.tenant_id', true));
grant select on audit_heads, audit_events, audit_checkpoints to svc_signer;
grant insert on audit_checkpoints to svc_signer;

-- Events and checkpoints that did not hold when `npm run audit:resume` continued a trail without them. Evidence: the owner of
-- the schema writes it and only the superuser reads it.
create table audit_set_aside (
  tenant_id text not null references tenants,
  set_aside_at timestamptz not null,
  kind text not null constraint audit_set_aside_kind check (kind in ('event', 'checkpoint')),
  -- `seq` of an event, `number` of a checkpoint.
  number bigint not null,
  record text not null,
  -- Of an event.
  hash text,
  -- Of a checkpoint.
  public_key text,
  signature text,
  primary key (tenant_id, set_aside_at, kind, number)
);
call protect_tenant_table('audit_set_aside');

-- Units of a listing that are dead: with one of them, a scan has ended without a part of its scope.
alter table campaigns add column listing_units_dead integer not null default 0;
grant update (listing_units_dead) on campaigns to svc_engine, svc_app;

-- A process compares the files of functions with its own.
grant select (checksum) on schema_migrations to svc_engine;

-- The counts of the tenant (domain '') and of each domain at the last measurement of a day, for trends.
create table trend_days (
  tenant_id text not null references tenants,
  domain_id text not null,
  day date not null,
  measured_at timestamptz not null,
  assets integer not null,
  sensitive integer not null,
  exposed integer not null,
  labeled integer not null,
  label_unknown integer not null,
  content_read integer not null,
  open_findings integer not null,
  open_findings_by_severity jsonb not null,
  open_questions integer not null,
  answered_questions integer not null,
  -- Of the tenant alone.
  scopes integer,
  scopes_scanned integer,
  primary key (tenant_id, domain_id, day)
);
create index trend_days_measured on trend_days (tenant_id, measured_at);
call protect_tenant_table('trend_days');
grant select, insert, delete, update (measured_at, assets, sensitive, exposed, labeled, label_unknown, content_read,
    open_findings, open_findings_by_severity, open_questions, answered_questions, scopes, scopes_scanned) on trend_days to svc_app;

-- The rate of a campaign counts from its last resume, or from its start where there was none.
alter table campaigns add column paced_from timestamptz, add column paced_done integer not null default 0;
grant update (paced_from, paced_done) on campaigns to svc_app;

-- Units that may add others to their campaign, so that its total is not final.
create index work_units_growing on work_units (campaign_id)
  where status in ('pending', 'leased') and (kind in ('inventory_page', 'delta_run') or payload ? 'planAfter');

-- When a finding last came back after it was resolved. Null if it never did.
alter table findings add column returned_at timestamptz;

-- Each process keeps a pace of calls of its own, and all share the pause that a source asked for. Only hosts of release
-- 26.11.26.0 use `state`; the next migration drops it.
alter table call_budgets add column paused_until timestamptz, alter column state set default '{}';

-- A finding names the newest action that was drafted for it.
create index actions_of_finding on actions (tenant_id, finding_id, created_at desc, action_id desc)
  where finding_id is not null;

-- Tags and retention of an item, as its source listed them: { tags, retention }. Null if there are none.
alter table assets add column source_facts jsonb;

-- Since when a person has left a scope out of the scans. It stays so when the source is connected again. Hosts of release
-- 26.11.26.0 select it again when they connect the source.
alter table scopes add column left_out_at timestamptz;
