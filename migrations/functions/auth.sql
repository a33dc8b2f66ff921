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
 set search_path to 'pg_catalog', 'pg_temp'
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
  if s.last_seen_at < p_now - least('1 minute'::pg_catalog.interval, p_idle / 4) then
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
 set search_path to 'pg_catalog', 'pg_temp'
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
 set search_path to 'pg_catalog', 'pg_temp'
as $$
  select t.tenant_id from public.tenants t where t.idp_issuer = p_issuer
$$;
reset role;
revoke create on schema public from svc_auth;
