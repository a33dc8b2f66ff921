-- Tenants, people, sessions, taxonomy. Every tenant table carries tenant_id and forced row-level security.

create procedure protect_tenant_table(p_table regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy tenant on %s to svc_app using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
end
$$;

create procedure open_to_provisioning(p_table regclass) language plpgsql as $$
begin
  execute format(
    'create policy provision on %s to svc_provision using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
  execute format('grant select, insert on %s to svc_provision', p_table);
end
$$;

create table tenants (
  tenant_id text primary key constraint tenants_id_shape check (tenant_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  name text not null,
  data_handling_profile text not null default 'minimized_evidence'
    constraint tenants_profile check (data_handling_profile in ('metadata_only', 'minimized_evidence', 'enhanced_evidence')),
  config_version integer not null default 1,
  created_at timestamptz not null
);

create table principals (
  tenant_id text not null references tenants,
  principal_id text not null,
  display_name text not null,
  title text not null default '',
  department text not null default '',
  status text not null default 'active' constraint principals_status check (status in ('active', 'disabled')),
  idp_issuer text,
  idp_subject text,
  last_sign_in_at timestamptz,
  primary key (tenant_id, principal_id),
  -- A principal id alone names a person in the dev login, so it is unique over all tenants.
  constraint principals_id_unique unique (principal_id),
  constraint principals_identity_unique unique (idp_issuer, idp_subject),
  constraint principals_identity_whole check ((idp_issuer is null) = (idp_subject is null))
);

create table principal_roles (
  tenant_id text not null,
  principal_id text not null,
  role text not null constraint principal_roles_role check (role in (
    'platform_admin', 'governance_admin', 'domain_owner', 'remediation_approver', 'auditor')),
  primary key (tenant_id, principal_id, role),
  foreign key (tenant_id, principal_id) references principals
);

create table sessions (
  -- SHA-256 of the id in the cookie: who reads this table cannot impersonate anyone.
  session_hash bytea primary key constraint sessions_hash_length check (octet_length(session_hash) = 32),
  tenant_id text not null,
  principal_id text not null,
  auth_mode text not null constraint sessions_auth_mode check (auth_mode in ('dev', 'idp')),
  csrf_token text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  foreign key (tenant_id, principal_id) references principals
);
create index sessions_expires on sessions (expires_at);

create table domains (
  tenant_id text not null references tenants,
  domain_id text not null,
  name text not null,
  description text not null default '',
  inclusion text not null default '',
  exclusion text not null default '',
  status text not null default 'draft' constraint domains_status check (status in ('draft', 'approved')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, domain_id)
);
create unique index domains_name on domains (tenant_id, lower(name));

create table information_types (
  tenant_id text not null,
  information_type_id text not null,
  domain_id text not null,
  name text not null,
  definition text not null default '',
  sensitivity_rationale text not null default '',
  expected_location_note text not null default '',
  sensitivity text not null default 'internal'
    constraint information_types_sensitivity check (sensitivity in ('public', 'internal', 'confidential', 'restricted')),
  -- What humans approve as signs of this type: { "detectors": [id], "keywords": [word] }.
  indicators jsonb not null default '{"detectors":[],"keywords":[]}',
  status text not null default 'draft' constraint information_types_status check (status in ('draft', 'approved')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, information_type_id),
  -- So that whoever names a type names its own domain with it.
  constraint information_types_domain_pair unique (tenant_id, information_type_id, domain_id),
  foreign key (tenant_id, domain_id) references domains
);
create unique index information_types_name on information_types (tenant_id, domain_id, lower(name));

create table owner_assignments (
  tenant_id text not null,
  assignment_id text not null,
  principal_id text not null,
  domain_id text not null,
  kind text not null default 'owner' constraint owner_assignments_kind check (kind in ('owner', 'delegate', 'steward')),
  attestation_days integer constraint owner_assignments_attestation check (attestation_days between 1 and 730),
  attested_at timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, assignment_id),
  foreign key (tenant_id, principal_id) references principals,
  foreign key (tenant_id, domain_id) references domains
);
create unique index owner_assignments_active on owner_assignments (tenant_id, principal_id, domain_id, kind)
  where ended_at is null;
create index owner_assignments_domain on owner_assignments (tenant_id, domain_id) where ended_at is null;

-- The thresholds that inference works by; exactly one version of a tenant is active.
create table ensembles (
  tenant_id text not null references tenants,
  version integer not null,
  candidate_threshold double precision not null constraint ensembles_candidate check (candidate_threshold between 0 and 1),
  review_low_threshold double precision not null constraint ensembles_low check (review_low_threshold between 0 and 1),
  review_high_threshold double precision not null constraint ensembles_high check (review_high_threshold between 0 and 1),
  near_dup_confirmed_boost double precision not null constraint ensembles_near check (near_dup_confirmed_boost between 0 and 1),
  exact_dup_confirmed_boost double precision not null constraint ensembles_exact check (exact_dup_confirmed_boost between 0 and 1),
  active boolean not null,
  created_at timestamptz not null,
  primary key (tenant_id, version)
);
create unique index ensembles_active on ensembles (tenant_id) where active;

call protect_tenant_table('tenants');
call protect_tenant_table('principals');
call protect_tenant_table('principal_roles');
call protect_tenant_table('sessions');
call protect_tenant_table('domains');
call protect_tenant_table('information_types');
call protect_tenant_table('owner_assignments');
call protect_tenant_table('ensembles');

-- The service gives nobody a role and makes no tenant; what it may write grows with the endpoints that write it.
grant select on tenants, principals, principal_roles, domains, information_types, owner_assignments, ensembles to svc_app;
grant update (last_sign_in_at) on principals to svc_app;
grant insert, select (tenant_id, session_hash, revoked_at), update (revoked_at) on sessions to svc_app;

-- Whoever deploys makes tenants, with the login that owns the schema.
call open_to_provisioning('tenants');
call open_to_provisioning('principals');
call open_to_provisioning('principal_roles');
call open_to_provisioning('domains');
call open_to_provisioning('information_types');
call open_to_provisioning('owner_assignments');
call open_to_provisioning('ensembles');

-- The development sign-in finds who it is before any tenant is known.
create policy engine_read on principals for select to svc_engine using (true);
create policy engine_read on principal_roles for select to svc_engine using (true);
grant select on principals, principal_roles to svc_engine;

-- So does every request, by the one function below.
create policy auth_read on principals for select to svc_auth using (true);
create policy auth_read on principal_roles for select to svc_auth using (true);
create policy auth_read on owner_assignments for select to svc_auth using (true);
create policy auth_read on sessions for select to svc_auth using (true);
create policy auth_touch on sessions for update to svc_auth using (true);
grant select on principals, principal_roles, owner_assignments to svc_auth;
grant select, update (last_seen_at) on sessions to svc_auth;

-- One statement per request: the session, its principal, roles and owned domains; slides the idle expiry, at most
-- once a minute or four times per idle time. No row when the session is unknown, revoked, expired, idle too long, or its principal disabled.
create function session_principal(p_session_hash bytea, p_now timestamptz, p_idle interval)
returns table (
  tenant_id text, principal_id text, auth_mode text, csrf_token text,
  display_name text, title text, department text, roles text[], owned_domains text[]
)
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  s public.sessions;
begin
  select * into s from public.sessions
   where session_hash = p_session_hash and revoked_at is null
     and expires_at > p_now and last_seen_at > p_now - p_idle;
  if not found then
    return;
  end if;
  if s.last_seen_at < p_now - least(interval '1 minute', p_idle / 4) then
    update public.sessions set last_seen_at = p_now where session_hash = p_session_hash and last_seen_at < p_now;
  end if;
  return query
    select p.tenant_id, p.principal_id, s.auth_mode, s.csrf_token, p.display_name, p.title, p.department,
           array(select r.role from public.principal_roles r
                  where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id order by r.role),
           array(select distinct o.domain_id from public.owner_assignments o
                  where o.tenant_id = p.tenant_id and o.principal_id = p.principal_id and o.ended_at is null
                  order by o.domain_id)
      from public.principals p
     where p.tenant_id = s.tenant_id and p.principal_id = s.principal_id and p.status = 'active';
end
$$;
