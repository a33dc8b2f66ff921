-- Signed checkpoints of the audit chains: what each tenant's chain ended with at a time. The record says everything,
-- and no column beside it can disagree with it.

create table audit_checkpoints (
  tenant_id text not null references tenants,
  -- From 1 for each tenant.
  number bigint not null,
  -- RFC 8785 text, signed to the byte: see core/audit/checkpoint.ts.
  record text not null,
  -- Ed25519, base64url: `x` of the public key's JWK, and the signature over the record's UTF-8 bytes.
  public_key text not null constraint audit_checkpoints_public_key check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  signature text not null constraint audit_checkpoints_signature check (signature ~ '^[A-Za-z0-9_-]{86}$'),
  seq bigint not null generated always as ((record::jsonb ->> 'seq')::bigint) stored,
  key_id text not null generated always as (record::jsonb ->> 'keyId') stored,
  primary key (tenant_id, number),
  constraint audit_checkpoints_form check (record ~ ('^\{"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","hash":"[0-9a-f]{64}",'
    '"keyId":"[A-Za-z0-9_-]{43}","number":[1-9]\d{0,14},"previous":(null|"[0-9a-f]{64}"),"seq":[1-9]\d{0,14},'
    '"tenantId":"[A-Za-z0-9_-]{1,64}","type":"audit_checkpoint"\}$')),
  constraint audit_checkpoints_place check (
    record::jsonb ->> 'tenantId' = tenant_id and (record::jsonb ->> 'number')::bigint = number)
);

call protect_tenant_table('audit_checkpoints');
grant select, insert on audit_checkpoints to svc_app;

-- Which heads have moved since their last checkpoint is asked across tenants.
create policy engine on audit_heads for select to svc_engine using (true);
create policy engine on audit_checkpoints for select to svc_engine using (true);
grant select (tenant_id, seq) on audit_heads to svc_engine;
grant select (tenant_id, number, seq, key_id) on audit_checkpoints to svc_engine;
