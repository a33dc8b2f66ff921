-- What was kept long enough goes (docs/retention.md). The release before runs on: it deletes notifications as before, and
-- inserts excerpts of decisions without their time.

-- What sweeps removed and nobody audited yet.
create table retention_counts (
  tenant_id text not null references tenants,
  kind text not null constraint retention_counts_kind check (kind ~ '^[a-z_]{1,32}$'),
  removed bigint not null constraint retention_counts_removed check (removed > 0),
  primary key (tenant_id, kind)
);
call protect_tenant_table('retention_counts');
grant select, insert, update, delete on retention_counts to svc_app;

-- Only what has ended can be deleted, whatever a statement says.
grant delete on campaigns, campaign_stage_counts, dead_letters, work_units to svc_app;
create policy ended on campaigns as restrictive for delete to svc_app
  using (status in ('completed', 'cancelled') and not cancelling);
create policy settled on work_units as restrictive for delete to svc_app
  using (status in ('completed', 'failed', 'dead', 'cancelled'));
create index campaigns_ended on campaigns (tenant_id, finished_at, campaign_id)
  where status in ('completed', 'cancelled');
-- What the service started itself and completed without a failure. The lists leave it out.
create index campaigns_routine on campaigns (tenant_id, finished_at, campaign_id)
  where status = 'completed' and units_dead = 0 and (follows_decisions or kind = 'delta' and created_by is null);
create index campaigns_listed on campaigns (tenant_id, created_at desc, campaign_id desc)
  where not (status = 'completed' and units_dead = 0 and (follows_decisions or kind = 'delta' and created_by is null));
create index campaigns_listed_of_scope on campaigns (tenant_id, scope_id, created_at desc, campaign_id desc)
  where not (status = 'completed' and units_dead = 0 and (follows_decisions or kind = 'delta' and created_by is null));
drop index campaigns_recent;

-- A notification stays longer than the campaign that it started.
grant delete on change_notifications to svc_app;
alter table change_notifications drop constraint change_notifications_enqueued;
alter table change_notifications add constraint change_notifications_enqueued
  check (campaign_id is null or outcome = 'reconcile_enqueued');
alter table change_notifications drop constraint change_notifications_tenant_id_campaign_id_fkey;
alter table change_notifications add constraint change_notifications_tenant_id_campaign_id_fkey
  foreign key (tenant_id, campaign_id) references campaigns (tenant_id, campaign_id) on delete set null (campaign_id);

grant delete on sessions to svc_app;
create index sessions_ended on sessions (tenant_id, expires_at, session_id);
drop index sessions_expires;

create index analyst_queries_asked on analyst_queries (tenant_id, asked_at, query_id);

-- For rows that there are already, the days count from this migration.
alter table decision_excerpts add column created_at timestamptz not null default now();
create index decision_excerpts_oldest on decision_excerpts (tenant_id, created_at, decision_id);

-- When what was derived from a removed asset was deleted.
alter table assets add column emptied_at timestamptz;
create index assets_removed on assets (tenant_id, deleted_at, asset_id)
  where status = 'deleted' and (emptied_at is null or emptied_at < deleted_at);
grant delete on asset_features, asset_sketches to svc_app;

create index actions_open_of_asset on actions (tenant_id, target_asset_id)
  where status in ('draft', 'blocked', 'awaiting_approval', 'approved', 'executing');
