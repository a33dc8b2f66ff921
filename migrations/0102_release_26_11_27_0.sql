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
-- `listed`: false for one that is left out and that the configuration did not select when the source was last connected.
alter table scopes add column left_out_at timestamptz, add column listed boolean not null default true;

-- The families whose sync somebody has started. When it is due, their containers are listed again.
create table message_syncs (
  tenant_id text not null references tenants,
  family text not null constraint message_syncs_family check (family in ('chat', 'mail')),
  -- One process at a time lists.
  lease_owner text,
  leased_until timestamptz,
  due_at timestamptz not null,
  primary key (tenant_id, family)
);
call protect_tenant_table('message_syncs');
create policy engine on message_syncs for select to svc_engine using (true);
grant select, insert, update, delete on message_syncs to svc_app;
grant select on message_syncs to svc_engine;

-- Channels of chat and mailboxes. They are no scopes and their messages no assets, since no domain owns them.
create table message_containers (
  tenant_id text not null references tenants,
  container_id text not null,
  family text not null constraint message_containers_family check (family in ('chat', 'mail')),
  mode text not null constraint message_containers_mode check (mode in ('mock', 'live')),
  external_id text not null,
  -- Of the configuration: what the source names when it refuses the container.
  entry text not null,
  name text not null,
  kind text not null constraint message_containers_kind check (kind in ('standard', 'private', 'shared', 'mailbox')),
  group_name text,
  -- `selected`: it is synced. A person has left out the next two: the messages of `kept` stay as they were last seen, and
  -- none of `ended` is left. `going`: the configuration does not select it any more, and it goes with its messages.
  selection text not null default 'selected' constraint message_containers_selection
    check (selection in ('selected', 'kept', 'ended', 'going')),
  -- Who can read it, when it was last asked. All null until then.
  members integer,
  guests integer,
  outsiders integer,
  is_open boolean,
  audience_complete boolean,
  -- The folder of its files at the main source. Both null if it is unknown.
  files_scope_external_id text,
  files_external_id text,
  -- `partial`: a walk is under way. `covered`: all that the source had at `covered_at` is stored. `refused`: the source
  -- refuses it; what was stored before stays.
  coverage text not null default 'partial' constraint message_containers_coverage
    check (coverage in ('partial', 'covered', 'refused')),
  covered_at timestamptz,
  refused_reason text constraint message_containers_refused check (refused_reason in
    ('not_found', 'malformed_id', 'denied', 'locked', 'unreachable')),
  -- One process at a time syncs a container.
  lease_owner text,
  leased_until timestamptz,
  -- Null if it is not synced.
  due_at timestamptz,
  -- When the sync that is under way began. Null if none is.
  sync_began_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, container_id),
  constraint message_containers_external unique (tenant_id, family, external_id),
  constraint message_containers_synced check ((selection = 'selected') = (due_at is not null)),
  constraint message_containers_refused_why check ((coverage = 'refused') = (refused_reason is not null))
);
create index message_containers_due on message_containers (due_at, tenant_id, container_id);
call protect_tenant_table('message_containers');
create policy engine on message_containers for select to svc_engine using (true);
grant select, insert, update, delete on message_containers to svc_app;
grant select on message_containers to svc_engine;

-- The parts of a container with a cursor of their own: folders of a mailbox, '' for a channel.
create table message_feeds (
  tenant_id text not null,
  container_id text not null,
  feed text not null,
  cursor text,
  -- Counts the walks over all messages of the feed. A message that the newest whole walk did not show is gone.
  walk integer not null default 1,
  -- The newest walk that showed all of them, and when it ended. What only walks before it showed is deleted.
  whole_walk integer not null default 0,
  walked_at timestamptz,
  caught_up_at timestamptz,
  primary key (tenant_id, container_id, feed),
  constraint message_feeds_container foreign key (tenant_id, container_id)
    references message_containers (tenant_id, container_id) on delete cascade
);
call protect_tenant_table('message_feeds');
grant select, insert, update, delete on message_feeds to svc_app;

-- Of a message, the beginning of subject and text is stored, bounded and with masked identifiers, and what detectors found.
create table messages (
  tenant_id text not null,
  message_id text not null,
  container_id text not null,
  external_id text not null,
  root_external_id text,
  feed text not null,
  walk integer not null,
  source_version text not null,
  content_version text not null,
  sent_at timestamptz,
  edited_at timestamptz,
  has_outsiders boolean,
  content_state text not null,
  content_reason text,
  -- Null after its time, and where nothing of texts is kept.
  preview text,
  -- [{ detectorId, count, confidence }], those of its attachments apart.
  signals jsonb not null default '[]',
  stored_at timestamptz not null,
  primary key (tenant_id, message_id),
  constraint messages_external unique (tenant_id, container_id, external_id),
  constraint messages_container foreign key (tenant_id, container_id)
    references message_containers (tenant_id, container_id) on delete cascade,
  constraint messages_preview_bound check (length(preview) <= 400)
);
create index messages_newest on messages (tenant_id, container_id, sent_at desc nulls last, message_id desc);
create index messages_thread on messages (tenant_id, container_id, root_external_id) where root_external_id is not null;
create index messages_walk on messages (tenant_id, container_id, feed, walk);
create index messages_with_preview on messages (tenant_id, stored_at, message_id) where preview is not null;
call protect_tenant_table('messages');
grant select, insert, update, delete on messages to svc_app;

create table message_attachments (
  tenant_id text not null,
  message_id text not null,
  position integer not null,
  kind text not null constraint message_attachments_kind check (kind in ('reference', 'file', 'item', 'card')),
  -- With masked identifiers.
  name text,
  mime_type text,
  size_bytes bigint,
  content_state text not null,
  content_reason text,
  -- Of the bytes of a copy. An asset with the same is alike, and stays another thing.
  content_hash bytea constraint message_attachments_hash_length check (octet_length(content_hash) = 32),
  signals jsonb not null default '[]',
  -- The document that a link is. Both null if it is unknown.
  backing_scope_external_id text,
  backing_external_id text,
  primary key (tenant_id, message_id, position),
  constraint message_attachments_message foreign key (tenant_id, message_id)
    references messages (tenant_id, message_id) on delete cascade
);
create index message_attachments_backing on message_attachments (tenant_id, backing_external_id)
  where backing_external_id is not null;
create index message_attachments_hash on message_attachments (tenant_id, content_hash) where content_hash is not null;
call protect_tenant_table('message_attachments');
grant select, insert, update, delete on message_attachments to svc_app;

-- What operators should look at: a channel with people from outside, a message with identifiers that prove themselves.
create table message_findings (
  tenant_id text not null,
  finding_id text not null,
  container_id text not null,
  message_id text,
  kind text not null constraint message_findings_kind check (kind in ('outsiders', 'identifiers')),
  -- Of the proven identifiers: 2 confidential, 3 restricted.
  level smallint not null constraint message_findings_level check (level in (2, 3)),
  severity text not null constraint message_findings_severity check (severity in ('low', 'medium', 'high', 'critical')),
  status text not null default 'open' constraint message_findings_status check (status in ('open', 'resolved')),
  opened_at timestamptz not null,
  -- Since when the message cannot be read as a whole, so that nobody knows whether its cause is still there.
  unconfirmed_since timestamptz,
  resolved_at timestamptz,
  primary key (tenant_id, finding_id),
  constraint message_findings_unconfirmed check (unconfirmed_since is null or status = 'open'),
  constraint message_findings_once unique nulls not distinct (tenant_id, container_id, message_id, kind),
  constraint message_findings_container foreign key (tenant_id, container_id)
    references message_containers (tenant_id, container_id) on delete cascade,
  constraint message_findings_message foreign key (tenant_id, message_id)
    references messages (tenant_id, message_id) on delete cascade,
  constraint message_findings_resolved check ((status = 'resolved') = (resolved_at is not null)),
  constraint message_findings_subject check ((kind = 'identifiers') = (message_id is not null))
);
create index message_findings_open on message_findings (tenant_id, opened_at desc, finding_id desc) where status = 'open';
create index message_findings_level on message_findings (tenant_id, container_id, level)
  where status = 'open' and kind = 'identifiers';
create index message_findings_message on message_findings (tenant_id, message_id) where message_id is not null;
call protect_tenant_table('message_findings');
grant select, insert, update, delete on message_findings to svc_app;

-- When scans start by themselves, when they rest, and how much they may read. Of all scopes of a tenant, of a family, or of
-- one scope. A part that is null is as the wider schedule says.
create table schedules (
  tenant_id text not null references tenants,
  target text not null,
  family text,
  scope_id text,
  time_zone text not null,
  -- [{ days, from, to }]
  quiet_hours jsonb,
  calls_per_hour integer constraint schedules_calls check (calls_per_hour > 0),
  megabytes_per_hour integer constraint schedules_megabytes check (megabytes_per_hour > 0),
  when_running text not null constraint schedules_when_running check (when_running in ('skip', 'queue')),
  when_late text not null constraint schedules_when_late check (when_late in ('run', 'skip')),
  revision integer not null,
  changed_at timestamptz not null,
  changed_by text not null,
  primary key (tenant_id, target),
  constraint schedules_one_target check (family is null or scope_id is null),
  constraint schedules_target check (target = coalesce('scope:' || scope_id, 'family:' || family, 'all')),
  constraint schedules_scope foreign key (tenant_id, scope_id) references scopes (tenant_id, scope_id)
);
call protect_tenant_table('schedules');
create policy engine on schedules for select to svc_engine using (true);
grant select, insert, update on schedules to svc_app;
grant select (tenant_id) on schedules to svc_engine;

-- When a kind of scan is due by a schedule. Without a row, it is as the wider schedule says.
create table schedule_times (
  tenant_id text not null,
  target text not null,
  kind text not null constraint schedule_times_kind check (kind in ('inventory', 'delta')),
  -- Null: never.
  cron text,
  next_at timestamptz,
  -- The newest time whose runs were recorded. No earlier one runs again, whatever the clock says.
  last_due timestamptz,
  -- When `next_at` was computed.
  planned_at timestamptz not null,
  primary key (tenant_id, target, kind),
  constraint schedule_times_schedule foreign key (tenant_id, target) references schedules (tenant_id, target),
  constraint schedule_times_next check ((cron is null) = (next_at is null)),
  constraint schedule_times_forward check (next_at > last_due)
);
call protect_tenant_table('schedule_times');
create policy engine on schedule_times for select to svc_engine using (true);
grant select, insert, update, delete on schedule_times to svc_app;
grant select (tenant_id, target, kind) on schedule_times to svc_engine;

-- The newest run of each scope and kind. It is recorded with the time that was due, and started after that.
create table schedule_runs (
  tenant_id text not null,
  scope_id text not null,
  kind text not null constraint schedule_runs_kind check (kind in ('inventory', 'delta')),
  target text not null,
  due timestamptz not null,
  missed integer not null,
  -- Null: it waits.
  outcome text constraint schedule_runs_outcome check (outcome in ('started', 'late', 'running', 'refused', 'withdrawn')),
  ended_at timestamptz,
  primary key (tenant_id, scope_id, kind),
  constraint schedule_runs_scope foreign key (tenant_id, scope_id) references scopes (tenant_id, scope_id),
  constraint schedule_runs_ended check ((outcome is null) = (ended_at is null))
);
create index schedule_runs_waiting on schedule_runs (tenant_id, due, scope_id, kind) where outcome is null;
create index schedule_runs_of_target on schedule_runs (tenant_id, target, kind);
call protect_tenant_table('schedule_runs');
grant select, insert, update on schedule_runs to svc_app;

-- What scans read of a scope in an hour, where a ceiling bounds it. Former hours are removed.
create table source_usage (
  tenant_id text not null,
  hour timestamptz not null,
  scope_id text not null,
  calls bigint not null,
  bytes bigint not null,
  primary key (tenant_id, hour, scope_id),
  constraint source_usage_scope foreign key (tenant_id, scope_id) references scopes (tenant_id, scope_id)
);
call protect_tenant_table('source_usage');
grant select, insert, update, delete on source_usage to svc_app;

-- The time that a scheduled scan was due, and how many further times it is for. One scan for each time.
-- The quiet time that lasts or comes next, and until when a ceiling holds the scan: no unit of it is leased meanwhile.
alter table campaigns
  add column scheduled_for timestamptz,
  add column missed_times integer,
  add column quiet_from timestamptz,
  add column quiet_until timestamptz,
  add column ceiling_until timestamptz;
create unique index campaigns_scheduled on campaigns (tenant_id, scope_id, kind, scheduled_for) where scheduled_for is not null;
grant update (quiet_from, quiet_until, ceiling_until) on campaigns to svc_app;

-- What a scan leaves out, as it was when it started: { only, rules: [{ ruleId, pattern }] }. Null: nothing. Calls of its
-- connector, and bytes of content that it has read.
alter table campaigns add column narrowing jsonb, add column source_calls bigint not null default 0,
  add column bytes_read bigint not null default 0;
grant update (source_calls, bytes_read) on campaigns to svc_engine;

-- Items that a scan has left out, by reason. `rule_id`: '' for reasons other than a rule.
create table campaign_left_out (
  tenant_id text not null,
  campaign_id text not null,
  reason text not null constraint campaign_left_out_reason check (reason in ('rule', 'folder', 'format', 'size', 'age')),
  rule_id text not null,
  items bigint not null,
  primary key (tenant_id, campaign_id, reason, rule_id),
  constraint campaign_left_out_campaign foreign key (tenant_id, campaign_id) references campaigns (tenant_id, campaign_id),
  constraint campaign_left_out_rule check ((reason = 'rule') = (rule_id <> ''))
);
call protect_tenant_table('campaign_left_out');
create policy engine on campaign_left_out to svc_engine using (true);
grant select, delete on campaign_left_out to svc_app;
grant select, insert, update on campaign_left_out to svc_engine;

-- Rules of what scans leave out: of one scope, of a family, or of all.
create table scan_rules (
  tenant_id text not null references tenants,
  rule_id text not null,
  pattern text not null constraint scan_rules_pattern check (length(pattern) between 1 and 200),
  family text,
  scope_id text,
  position integer not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (tenant_id, rule_id),
  constraint scan_rules_once unique nulls not distinct (tenant_id, pattern, family, scope_id),
  constraint scan_rules_reach check (family is null or scope_id is null),
  constraint scan_rules_scope foreign key (tenant_id, scope_id) references scopes (tenant_id, scope_id)
);
call protect_tenant_table('scan_rules');
grant select, insert, delete, update (position) on scan_rules to svc_app;

-- The rule that leaves an asset out of scans: it stays as it was last read.
alter table assets add column left_out_by text;
create index assets_left_out on assets (tenant_id, scope_id) where (status = 'active') and (left_out_by is not null);

-- When a scan last looked at a part of the scope only, after the last whole look. The scan that last listed it
-- whole, and how many assets rules left out then.
alter table scopes add column narrowed_at timestamptz, add column listed_by text,
  add column assets_left_out integer not null default 0;
