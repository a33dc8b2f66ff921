-- Fleet-health telemetry: who opted out, under which pseudonym it is sent, and what was sent. Additive.

-- A random pseudonym of the tenant. It is derived from nothing, so it cannot be turned back.
-- No rewrite of the table: to a transaction that began before, a rewritten table is empty, and every read joins it.
alter table tenants add column telemetry_deployment uuid;
alter table tenants alter column telemetry_deployment set default gen_random_uuid();
alter table tenants no force row level security;
update tenants set telemetry_deployment = gen_random_uuid();
alter table tenants force row level security;
alter table tenants alter column telemetry_deployment set not null;
alter table tenants add column telemetry_opted_out_at timestamptz;
grant update (telemetry_deployment, telemetry_opted_out_at) on tenants to svc_app;

create table telemetry_sent (
  telemetry_id text primary key,
  tenant_id text not null references tenants,
  -- In UTC. One payload a day at most.
  day date not null,
  sent_at timestamptz not null,
  -- The bytes that were sent.
  payload text not null constraint telemetry_sent_payload check (octet_length(payload) between 2 and 4096),
  -- Null while it is being sent, and if the process died then.
  outcome text constraint telemetry_sent_outcome
    check (outcome in ('accepted', 'refused', 'failed', 'timeout', 'unreachable')),
  constraint telemetry_sent_daily unique (tenant_id, day)
);
call protect_tenant_table('telemetry_sent');
-- What was sent cannot be changed.
grant select, insert, update (outcome), delete on telemetry_sent to svc_app;
create index telemetry_sent_oldest on telemetry_sent (tenant_id, sent_at, telemetry_id);
