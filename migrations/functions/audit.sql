grant create on schema public to svc_audit;
set local role svc_audit;
-- Appends events (RFC 8785 texts, in order) to the chain of the transaction's tenant and returns the last sequence
-- number. Locks the tenant's head until commit, so callers append last.
create or replace function audit_append(p_events text[])
 returns bigint
 language plpgsql
 security definer
 set search_path to 'pg_catalog', 'pg_temp'
as $$
declare
  v_tenant pg_catalog.text := pg_catalog.current_setting('svc.tenant_id');
  v_seq pg_catalog.int8;
  v_hash pg_catalog.text;
  v_records pg_catalog.text[] := '{}';
  v_hashes pg_catalog.text[] := '{}';
  v_record pg_catalog.text;
  v_event pg_catalog.text;
begin
  select seq, hash into v_seq, v_hash from public.audit_heads where tenant_id = v_tenant for update;
  if not found then
    insert into public.audit_heads (tenant_id, seq, hash) values (v_tenant, 0, pg_catalog.repeat('0', 64))
      on conflict (tenant_id) do nothing;
    select seq, hash into strict v_seq, v_hash from public.audit_heads where tenant_id = v_tenant for update;
  end if;
  foreach v_event in array p_events loop
    -- A foreign or malformed event could never be taken back.
    if v_event::pg_catalog.jsonb ->> 'tenantId' is distinct from v_tenant then
      raise exception 'an audit event of another tenant' using errcode = 'check_violation';
    end if;
    v_seq := v_seq + 1;
    v_record := '{"chain":{"prev":"' || v_hash || '","seq":' || v_seq || '},"event":' || v_event || '}';
    v_hash := pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(v_record, 'UTF8')), 'hex');
    v_records := v_records || v_record;
    v_hashes := v_hashes || v_hash;
  end loop;
  insert into public.audit_events (tenant_id, seq, record, hash)
    select v_tenant, v_seq - pg_catalog.cardinality(v_records) + t.n, t.record, t.hash
      from rows from (pg_catalog.unnest(v_records), pg_catalog.unnest(v_hashes)) with ordinality as t (record, hash, n);
  update public.audit_heads set seq = v_seq, hash = v_hash where tenant_id = v_tenant;
  return v_seq;
end
$$;
revoke all on function audit_append(text[]) from public;
grant execute on function audit_append(text[]) to svc_app, svc_provision;
reset role;
revoke create on schema public from svc_audit;
