grant create on schema public to svc_auth;
set local role svc_auth;
-- The session of a request, its principal, their roles and owned domains. Moves the idle expiry at most once a minute or
-- four times per idle time. No row where the session is unknown, revoked, expired or idle for too long, or where its
-- principal is disabled.
create or replace function session_principal(p_session_hash bytea, p_now timestamp with time zone, p_idle interval)
 returns table(tenant_id text, principal_id text, auth_mode text, csrf_token text, display_name text, title text, department text, roles text[], owned_domains text[])
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
reset role;
revoke create on schema public from svc_auth;
