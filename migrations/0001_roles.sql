-- The runtime roles. They are shared by all databases of a cluster, so each may be there already or be made by
-- another database's migration at this very moment.
--   svc_app     requests and unit handlers: one tenant, set for the transaction, by row-level security
--   svc_engine  leases units and sweeps: across tenants, on the few tables whose policies let it in
--   svc_auth    owns the function that looks a session up; nobody acts as it
--   svc_audit   owns the function that appends to the audit chain; nobody acts as it
--   svc_search  owns the function that searches assets by a part of their name; nobody acts as it
--   svc_provision  makes tenants and gives roles to people; only the owner of the schema may act as it
-- The owner of the schema may act as all of them, since that is what it takes to give them functions.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['svc_app', 'svc_engine', 'svc_auth', 'svc_audit', 'svc_search', 'svc_provision'] loop
    begin
      execute format('create role %I nologin nosuperuser nobypassrls nocreatedb nocreaterole noinherit', v_role);
    exception when duplicate_object or unique_violation then
      null;
    end;
    if not pg_has_role(v_role, 'SET') then
      begin
        execute format('grant %I to %I with set true, inherit false', v_role, current_user);
      exception when unique_violation then
        null;
      end;
    end if;
  end loop;
end
$$;
