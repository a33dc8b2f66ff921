-- People who sign in through an identity provider, callers of the API, and roles that the service itself gives.

-- The provider whose people belong to the tenant. At most one tenant for each issuer: the issuer names the tenant.
alter table tenants add column idp_issuer text;
create unique index tenants_idp_issuer on tenants (idp_issuer);

alter table principals
  add column kind text not null default 'person'
    constraint principals_kind check (kind in ('person', 'service')),
  -- Displayed only. Nobody is recognised by it.
  add column email text,
  -- The immutable id in the organisation's directory, for people who have not signed in yet.
  add column directory_id text,
  -- Null for those of an earlier release.
  add column created_at timestamptz;
-- Nobody is bound to an issuer of another tenant. Where the address of a provider changes, its people follow.
alter table tenants add constraint tenants_issuer unique (tenant_id, idp_issuer);
alter table principals add constraint principals_issuer_of_tenant
  foreign key (tenant_id, idp_issuer) references tenants (tenant_id, idp_issuer) on update cascade;
create unique index principals_directory on principals (tenant_id, directory_id);

-- `granted`: by a person of the service or from a terminal. `claimed`: by the identity provider at the last sign-in.
alter table principal_roles
  add column source text not null default 'granted'
    constraint principal_roles_source check (source in ('granted', 'claimed')),
  add column granted_by text,
  add column granted_at timestamptz,
  add constraint principal_roles_not_own check (granted_by is distinct from principal_id),
  drop constraint principal_roles_pkey,
  add constraint principal_roles_pkey primary key (tenant_id, principal_id, role, source);

alter table sessions
  -- The name of a session in the API. It does not open anything.
  add column session_id text not null default 'ses_' || replace(gen_random_uuid()::text, '-', ''),
  -- Browser and system in two words, such as `Firefox on Windows`.
  add column client text not null default '';
create unique index sessions_id on sessions (session_id);
create index sessions_by_principal on sessions (tenant_id, principal_id, last_seen_at desc);

-- Codes that are handed over in person. A setup code makes who signs in with it a platform admin; an invitation binds who
-- signs in with it to a principal. Each is used once.
create table sign_in_codes (
  -- SHA-256 of the code: who reads this table cannot use it.
  code_hash bytea primary key constraint sign_in_codes_hash_length check (octet_length(code_hash) = 32),
  tenant_id text not null references tenants,
  -- Null: a setup code.
  principal_id text,
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by text,
  foreign key (tenant_id, principal_id) references principals,
  foreign key (tenant_id, created_by) references principals,
  foreign key (tenant_id, used_by) references principals
);
create index sign_in_codes_by_principal on sign_in_codes (tenant_id, principal_id);
call protect_tenant_table('sign_in_codes');
call open_to_provisioning('sign_in_codes');

grant insert on principals to svc_app;
grant update (display_name, title, department, email, status, idp_issuer, idp_subject, directory_id) on principals to svc_app;
grant insert, delete on principal_roles to svc_app;
grant select (principal_id, session_id, auth_mode, created_at, last_seen_at, expires_at, client) on sessions to svc_app;
grant select, insert, update (used_at, used_by) on sign_in_codes to svc_app;

grant delete on principal_roles to svc_provision;
grant update (used_at) on sign_in_codes to svc_provision;
grant update (idp_issuer) on tenants to svc_provision;
grant update (idp_issuer, idp_subject) on principals to svc_provision;
create policy provision_list on tenants for select to svc_provision using (true);

grant select (tenant_id, idp_issuer) on tenants to svc_auth;
create policy auth_read on tenants for select to svc_auth using (true);

-- Its result has another shape than before.
set local role svc_auth;
drop function session_principal(bytea, timestamptz, interval);
reset role;
--! include functions/audit.sql
grant create on schema public to svc_audit;
set local role svc_audit;
-- Appends events (RFC 8785 texts, in order) to the chain of the transaction's tenant and returns the last sequence
-- number. Locks the tenant's head until commit, so callers append last.
create or replace function audit_append(p_events text[])
 returns bigint
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public'
as $$
declare
  v_tenant text := current_setting('svc.tenant_id');
  v_seq bigint;
  v_hash text;
  v_records text[] := '{}';
  v_hashes text[] := '{}';
  v_record text;
  v_event text;
begin
  select seq, hash into v_seq, v_hash from public.audit_heads where tenant_id = v_tenant for update;
  if not found then
    insert into public.audit_heads (tenant_id, seq, hash) values (v_tenant, 0, repeat('0', 64))
      on conflict (tenant_id) do nothing;
    select seq, hash into strict v_seq, v_hash from public.audit_heads where tenant_id = v_tenant for update;
  end if;
  foreach v_event in array p_events loop
    -- A foreign or malformed event could never be taken back.
    if v_event::jsonb ->> 'tenantId' is distinct from v_tenant then
      raise exception 'an audit event of another tenant' using errcode = 'check_violation';
    end if;
    v_seq := v_seq + 1;
    v_record := '{"chain":{"prev":"' || v_hash || '","seq":' || v_seq || '},"event":' || v_event || '}';
    v_hash := encode(sha256(convert_to(v_record, 'UTF8')), 'hex');
    v_records := v_records || v_record;
    v_hashes := v_hashes || v_hash;
  end loop;
  insert into public.audit_events (tenant_id, seq, record, hash)
    select v_tenant, v_seq - cardinality(v_records) + t.n, t.record, t.hash
      from unnest(v_records, v_hashes) with ordinality as t (record, hash, n);
  update public.audit_heads set seq = v_seq, hash = v_hash where tenant_id = v_tenant;
  return v_seq;
end
$$;
revoke all on function audit_append(text[]) from public;
grant execute on function audit_append(text[]) to svc_app, svc_provision;
reset role;
revoke create on schema public from svc_audit;
--! end functions/audit.sql
--! include functions/auth.sql
-- An active principal as the database has them at this moment. No row for one that is disabled. Roles that the identity
-- provider claimed count if the last sign-in is not before p_claimed_since.
create or replace function active_principal(p_tenant text, p_principal text, p_claimed_since timestamp with time zone)
 returns table(tenant_id text, principal_id text, kind text, display_name text, title text, department text, roles text[], owned_domains text[])
 language sql
 stable
as $$
  select p.tenant_id, p.principal_id, p.kind, p.display_name, p.title, p.department,
         array(select distinct r.role from public.principal_roles r
                where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id
                  and (r.source = 'granted' or p.last_sign_in_at >= p_claimed_since)
                order by r.role),
         array(select distinct o.domain_id from public.owner_assignments o
                where o.tenant_id = p.tenant_id and o.principal_id = p.principal_id and o.ended_at is null
                order by o.domain_id)
    from public.principals p
   where p.tenant_id = p_tenant and p.principal_id = p_principal and p.status = 'active'
$$;
revoke all on function active_principal(text, text, timestamptz) from public;
grant execute on function active_principal(text, text, timestamptz) to svc_app, svc_auth;

grant create on schema public to svc_auth;
set local role svc_auth;
-- The session of a request, its principal, their roles and owned domains. Moves the idle expiry at most once a minute or
-- four times per idle time. No row where the session is unknown, revoked, expired or idle for too long, or where its
-- principal is disabled.
create or replace function session_principal(p_session_hash bytea, p_now timestamp with time zone, p_idle interval)
 returns table(session_id text, auth_mode text, csrf_token text, tenant_id text, principal_id text, kind text, display_name text, title text, department text, roles text[], owned_domains text[])
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'public'
as $$
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
    select s.session_id, s.auth_mode, s.csrf_token, p.* from public.active_principal(s.tenant_id, s.principal_id, '-infinity') p;
end
$$;

-- Whom an access token names. No row where nobody of that identity is known or active. No sign-in goes with a token, so
-- claimed roles count for as long as a session would.
create or replace function token_principal(p_issuer text, p_subject text, p_claimed_since timestamp with time zone)
 returns table(tenant_id text, principal_id text, kind text, display_name text, title text, department text, roles text[], owned_domains text[])
 language plpgsql
 stable
 security definer
 set search_path to 'pg_catalog', 'public'
as $$
begin
  return query
    select a.* from public.principals p, public.active_principal(p.tenant_id, p.principal_id, p_claimed_since) a
     where p.idp_issuer = p_issuer and p.idp_subject = p_subject;
end
$$;

-- The tenant whose people this issuer signs in; null where there is none.
create or replace function tenant_of_issuer(p_issuer text)
 returns text
 language sql
 stable
 security definer
 set search_path to 'pg_catalog', 'public'
as $$
  select t.tenant_id from public.tenants t where t.idp_issuer = p_issuer
$$;
reset role;
revoke create on schema public from svc_auth;
--! end functions/auth.sql
--! include functions/people.sql
-- A tenant keeps at least one active platform admin: nobody else could give the role back. A role that the identity
-- provider takes away is no concern of this trigger; `npm run tenant -- setup-code` lets somebody in again.
create or replace function keep_platform_admin()
 returns trigger
 language plpgsql
as $$
begin
  if tg_table_name = 'principals' and not exists (
    select from principal_roles r
     where r.tenant_id = old.tenant_id and r.principal_id = old.principal_id and r.role = 'platform_admin'
  ) then
    return null;
  end if;
  -- One removal at a time in a tenant: of two admins who remove each other, the second one sees what the first one did.
  perform pg_advisory_xact_lock(hashtextextended('platform_admin ' || old.tenant_id, 0));
  if not exists (
    select from principals p
      join principal_roles r on r.tenant_id = p.tenant_id and r.principal_id = p.principal_id
      join tenants t on t.tenant_id = p.tenant_id
     where p.tenant_id = old.tenant_id and p.status = 'active' and p.kind = 'person' and r.role = 'platform_admin'
       -- Somebody who has never signed in lets nobody in. In development, nobody is bound to an identity.
       and (p.idp_subject is not null or t.idp_issuer is null)
  ) then
    raise exception 'the last platform admin of a tenant stays'
      using errcode = 'check_violation', constraint = 'platform_admin_kept', table = tg_table_name;
  end if;
  return null;
end
$$;

create or replace trigger principal_roles_keep_admin after delete on principal_roles
  for each row when (old.role = 'platform_admin' and old.source = 'granted')
  execute function keep_platform_admin();

create or replace trigger principals_keep_admin after update of status on principals
  for each row when (old.status = 'active' and new.status = 'disabled')
  execute function keep_platform_admin();
--! end functions/people.sql
