-- The license of each tenant, and why a delta was not started. Additive.

create table licenses (
  tenant_id text primary key references tenants,
  -- The signed token (compact JWS); its terms are read from it each time. Null once it was deactivated.
  entitlement text constraint licenses_entitlement check (octet_length(entitlement) between 1 and 8192),
  entitlement_id text not null constraint licenses_entitlement_id check (entitlement_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- A token that was issued before it is not activated again.
  issued_at timestamptz not null,
  activated_at timestamptz not null,
  deactivated_at timestamptz,
  renewed_at timestamptz,
  renewal_attempted_at timestamptz,
  -- Failed renewals since the last one that succeeded.
  renewal_failures integer not null default 0 constraint licenses_renewal_failures check (renewal_failures >= 0),
  renewal_failure text constraint licenses_renewal_failure check (renewal_failure ~ '^[a-z_]{1,32}$'),
  -- KeptClock in core/licensing/effective-time.ts.
  clock_mark timestamptz not null,
  clock_seen timestamptz not null,
  clock_ahead_since timestamptz,
  -- What an offline token repeats to prove that it was signed after this time of the mark.
  challenge text not null constraint licenses_challenge check (challenge ~ '^[A-Za-z0-9_-]{22}$'),
  challenge_at timestamptz not null,
  -- Scheduled and hinted deltas that were not started, since the activation.
  skipped_scans bigint not null default 0 constraint licenses_skipped_scans check (skipped_scans >= 0),
  skipped_at timestamptz,
  constraint licenses_deactivated check ((entitlement is null) = (deactivated_at is not null)),
  constraint licenses_failed check ((renewal_failures = 0) = (renewal_failure is null)),
  constraint licenses_skipped check ((skipped_scans = 0) = (skipped_at is null))
);
call protect_tenant_table('licenses');
grant select, insert, update on licenses to svc_app;

-- Which tenants have a license is asked across tenants.
create policy engine on licenses for select to svc_engine using (true);
grant select (tenant_id) on licenses to svc_engine;

alter table change_notifications drop constraint change_notifications_reason;
alter table change_notifications add constraint change_notifications_reason
  check (reject_reason in ('scan_already_active', 'no_delta_cursor', 'no_scope', 'license_required')) not valid;
alter table change_notifications validate constraint change_notifications_reason;
