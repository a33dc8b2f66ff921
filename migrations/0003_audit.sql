-- The audit trail: one hash chain per tenant. Nobody but audit_append writes here, and nobody updates or deletes.

create table audit_heads (
  tenant_id text primary key references tenants,
  seq bigint not null,
  hash text not null
);

create table audit_events (
  tenant_id text not null references tenants,
  seq bigint not null constraint audit_events_seq check (seq > 0),
  -- RFC 8785 text: {"chain":{"prev":HASH,"seq":N},"event":{…}}; `hash` is the SHA-256 of its UTF-8 bytes, in hex.
  record text not null,
  hash text not null,
  category text not null generated always as ((record::jsonb -> 'event' ->> 'category')) stored
    constraint audit_events_category check (category in (
      'auth', 'config', 'governance', 'scan', 'evidence_access', 'review', 'analyst', 'action', 'model')),
  primary key (tenant_id, seq)
);
create index audit_events_category on audit_events (tenant_id, category, seq desc);

call protect_tenant_table('audit_heads');
call protect_tenant_table('audit_events');
grant select on audit_heads, audit_events to svc_app;

create policy writer on audit_heads to svc_audit
  using (tenant_id = current_setting('svc.tenant_id', true))
  with check (tenant_id = current_setting('svc.tenant_id', true));
create policy writer on audit_events for insert to svc_audit
  with check (tenant_id = current_setting('svc.tenant_id', true));
grant select, insert, update on audit_heads to svc_audit;
grant insert on audit_events to svc_audit;

-- Appends events (RFC 8785 texts, in order) to the chain of the transaction's tenant and returns the last sequence
-- number. Locks the tenant's head until commit, so callers append last.
create function audit_append(p_events text[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, public as $$
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
grant execute on function audit_append(text[]) to svc_app;

-- Functions that act for the runtime belong to the role whose rights they use, not to the owner of the schema.
grant create on schema public to svc_auth, svc_audit;
alter function session_principal(bytea, timestamptz, interval) owner to svc_auth;
alter function audit_append(text[]) owner to svc_audit;
revoke create on schema public from svc_auth, svc_audit;
