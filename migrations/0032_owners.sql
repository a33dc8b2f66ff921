-- Owners of domains: assigning, attesting, ending.

-- When an attestation falls due: so many whole days, whatever clocks were put forward meanwhile, after the last one or
-- after the assignment. Null where none is asked for.
alter table owner_assignments add column attestation_due_at timestamptz generated always as (
  (coalesce(attested_at, created_at) at time zone 'UTC' + attestation_days * interval '24 hours') at time zone 'UTC'
) stored;
-- When it was recorded that an attestation is overdue, so that each is recorded once.
alter table owner_assignments add column overdue_noted_at timestamptz;
create index owner_assignments_attestation_due on owner_assignments (tenant_id, attestation_due_at)
  where ended_at is null and attestation_due_at is not null;

-- What has ended is history: a person who takes a domain again gets an assignment of its own.
create function keep_ended_assignment() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'an ended assignment does not change' using errcode = 'restrict_violation';
end
$$;
create trigger owner_assignments_ended before update of attested_at, ended_at, overdue_noted_at on owner_assignments
  for each row when (old.ended_at is not null) execute function keep_ended_assignment();

grant insert (tenant_id, assignment_id, principal_id, domain_id, kind, attestation_days, created_at),
  update (attested_at, ended_at, overdue_noted_at) on owner_assignments to svc_app;

-- The sweep finds the tenants in which an attestation has become overdue.
create policy engine on owner_assignments for select to svc_engine using (true);
grant select (tenant_id, attestation_due_at, overdue_noted_at, ended_at) on owner_assignments to svc_engine;

-- What a domain's owners have confirmed, without reading what only waits: evidence for who else may own it.
create index candidates_confirmed on candidates (tenant_id, domain_id, asset_id) where status = 'confirmed';
