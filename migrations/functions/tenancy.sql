-- Every table of a tenant: row-level security for everybody, and the policy of the service.
create or replace procedure protect_tenant_table(IN p_table regclass)
 language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy tenant on %s to svc_app using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
end
$$;

-- Tables that the provisioning role fills when it creates a tenant.
create or replace procedure open_to_provisioning(IN p_table regclass)
 language plpgsql
as $$
begin
  execute format(
    'create policy provision on %s to svc_provision using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
  execute format('grant select, insert on %s to svc_provision', p_table);
end
$$;
