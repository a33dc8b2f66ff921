-- A tenant keeps at least one active platform admin: nobody else could give the role back. A role that the identity
-- provider takes away is no concern of this trigger; `npm run tenant -- setup-code` lets somebody in again.
create or replace function keep_platform_admin()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public', 'pg_temp'
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
