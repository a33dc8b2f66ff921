-- Change subscriptions of scopes and what their notifications led to.

create table change_subscriptions (
  tenant_id text not null,
  subscription_id text not null,
  scope_id text not null,
  -- Made to simulate a notification: no source knows of it, whatever the connector's mode.
  forced boolean not null default false,
  mode text not null constraint change_subscriptions_mode check (mode in ('mock', 'live')),
  -- Null until the source has first confirmed it: the row comes before the call, since the handshake needs its id.
  status text constraint change_subscriptions_status
    check (status in ('active', 'expiring', 'expired', 'error', 'removed')),
  -- The source's id of it; a new one with each registration, so that what an earlier one still sends is not found.
  external_id text,
  expires_at timestamptz,
  renewed_at timestamptz,
  last_error text constraint change_subscriptions_last_error
    check (last_error in ('subscribe_failed', 'renew_failed')),
  -- Who is calling the source about it. Nobody else does before `busy_until`, which is also how long the source asked to wait.
  claim text,
  busy_until timestamptz,
  -- The last hint that met an active scan, until a delta has started after it.
  hinted_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, subscription_id),
  foreign key (tenant_id, scope_id) references scopes,
  constraint change_subscriptions_scope unique (tenant_id, scope_id, forced),
  constraint change_subscriptions_external unique (external_id),
  constraint change_subscriptions_confirmed check (status is null or (external_id is not null and expires_at is not null))
);
create index change_subscriptions_recent on change_subscriptions (tenant_id, created_at desc, subscription_id desc);
create index change_subscriptions_running on change_subscriptions (tenant_id, expires_at)
  where status in ('active', 'expiring');
create index change_subscriptions_hinted on change_subscriptions (hinted_at) where hinted_at is not null;

-- Verified notifications only: what is rejected leaves no row, or anybody could make the service write.
create table change_notifications (
  tenant_id text not null,
  notification_id text not null,
  subscription_id text not null,
  change_type text not null constraint change_notifications_type
    check (change_type in ('updated', 'created', 'deleted', 'missed', 'other')),
  outcome text not null constraint change_notifications_outcome
    check (outcome in ('reconcile_enqueued', 'reconcile_skipped', 'deduplicated')),
  reject_reason text constraint change_notifications_reason
    check (reject_reason in ('scan_already_active', 'no_delta_cursor', 'no_scope')),
  source text not null constraint change_notifications_source check (source in ('live', 'simulated')),
  campaign_id text,
  -- When the source says that it happened; few say so.
  event_at timestamptz,
  received_at timestamptz not null,
  primary key (tenant_id, notification_id),
  foreign key (tenant_id, subscription_id) references change_subscriptions,
  foreign key (tenant_id, campaign_id) references campaigns,
  constraint change_notifications_skipped check ((outcome = 'reconcile_skipped') = (reject_reason is not null)),
  constraint change_notifications_enqueued check ((outcome = 'reconcile_enqueued') = (campaign_id is not null))
);
create index change_notifications_recent on change_notifications (tenant_id, received_at desc, notification_id desc);
create index change_notifications_accepted on change_notifications (tenant_id, subscription_id, change_type, received_at desc)
  where outcome <> 'deduplicated';
create index change_notifications_campaign on change_notifications (tenant_id, campaign_id) where campaign_id is not null;
create index change_notifications_received on change_notifications (received_at);

call protect_tenant_table('change_subscriptions');
call protect_tenant_table('change_notifications');

grant select, insert,
  update (mode, status, external_id, expires_at, renewed_at, last_error, claim, busy_until, hinted_at)
  on change_subscriptions to svc_app;
grant select, insert on change_notifications to svc_app;

-- A webhook finds whose a notification is, and the sweeps find which tenants wait for them; they write as the tenant.
create policy engine on change_subscriptions for select to svc_engine using (true);
grant select (tenant_id, subscription_id, scope_id, forced, status, external_id, expires_at, claim, busy_until, hinted_at)
  on change_subscriptions to svc_engine;
-- Retention: the engine deletes what is old and reads nothing of it but that.
create policy engine on change_notifications for select to svc_engine using (true);
create policy engine_delete on change_notifications for delete to svc_engine using (true);
grant select (tenant_id, notification_id, received_at), delete on change_notifications to svc_engine;
