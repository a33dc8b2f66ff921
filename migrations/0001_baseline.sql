--! replaces 0084_scorings.sql of 26.11.26.0
-- The tables of release 26.11.26.0, their indexes, policies and privileges. Functions and triggers are in `functions/`.
-- A function stands here if stored values depend on it: changing it would need a migration of these values.

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

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Every table of a tenant: row-level security for everybody, and the policy of the service.
create procedure protect_tenant_table(IN p_table regclass)
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
create procedure open_to_provisioning(IN p_table regclass)
 language plpgsql
as $$
begin
  execute format(
    'create policy provision on %s to svc_provision using (tenant_id = current_setting(''svc.tenant_id'', true)) '
    'with check (tenant_id = current_setting(''svc.tenant_id'', true))', p_table);
  execute format('grant select, insert on %s to svc_provision', p_table);
end
$$;

-- What each part adds to the value of an answer. A question that a colleague sent comes before all questions of the model,
-- which have 700 at most.
create function band_points(p_band text, p_confidence double precision)
 returns integer
 language sql
 immutable
return case p_band when 'routed' then 1000
       else (case p_band when 'high' then 100 else 0 end + round(100 * coalesce(p_confidence, 0))::integer) end;

-- The first related assets count most: 1 is worth 26 points, 10 are worth 90, 200 are worth 200.
create function related_points(p_count integer)
 returns integer
 language sql
 immutable
return round(200 * ln(1::double precision + p_count) / ln(201::double precision))::integer;

create function risk_points(p_severity text)
 returns integer
 language sql
 immutable
return case p_severity when 'critical' then 300 when 'high' then 200 when 'medium' then 100 when 'low' then 50 else 0 end;

-- The distinct words of a name or path, as `words` of core/kernel/words.ts splits and folds it: lower case, without marks,
-- `InvoiceRegister` as two. First the marks (M) and then the separators (neither L, N nor M) are given by code point, since
-- what the locale of the database takes for a letter differs. They are those of Unicode 17. A range goes on over what cannot
-- stand there: what is not assigned, what NFKD replaces and, in a range of separators, marks.
create function search_words(p_text text)
 returns text[]
 language sql
 immutable parallel safe
 set search_path to 'pg_catalog'
as $$
  select coalesce(array_agg(distinct substr(word, first, 64)), '{}')
    from regexp_split_to_table(
      translate(replace(replace(replace(lower(regexp_replace(
        normalize(regexp_replace(left(p_text, 4000), '([[:lower:]])([[:upper:]])', '\1 \2', 'g'), nfkd),
        '['
        '\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f'
        '\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3'
        '\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1'
        '\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7'
        '\u09e2\u09e3\u09fe-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0ae2\u0ae3'
        '\u0afa-\u0b03\u0b3c\u0b3e-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56'
        '\u0c62\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0ce2\u0ce3\u0cf3-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57'
        '\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc'
        '\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u0fc6'
        '\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f'
        '\u109a-\u109d\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752\u1753\u1772\u1773\u17b4-\u17d3\u17dd'
        '\u180b-\u180d\u180f\u1885\u1886\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b04\u1b34-\u1b44'
        '\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4'
        '\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a'
        '\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880\ua881'
        '\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36'
        '\uaa43\uaa4c\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7\uaab8\uaabe\uaabf\uaac1\uaaeb-\uaaef\uaaf5\uaaf6'
        '\uabe3-\uabea\uabec\uabed\ufb1e\ufe00-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a\U00010a01-\U00010a0f'
        '\U00010a38-\U00010a3f\U00010ae5\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab\U00010eac'
        '\U00010efa-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046'
        '\U00011070\U00011073\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102'
        '\U00011127-\U00011134\U00011145\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0'
        '\U000111c9-\U000111cc\U000111ce\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea'
        '\U00011300-\U00011303\U0001133b\U0001133c\U0001133e-\U0001134d\U00011357\U00011362-\U00011374'
        '\U000113b8-\U000113d0\U000113d2\U000113e1\U000113e2\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3'
        '\U000115af-\U000115c0\U000115dc\U000115dd\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b'
        '\U0001182c-\U0001183a\U00011930-\U0001193e\U00011940\U00011942\U00011943\U000119d1-\U000119e0\U000119e4'
        '\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47\U00011a51-\U00011a5b'
        '\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c3f\U00011c92-\U00011cb6\U00011d31-\U00011d45'
        '\U00011d47\U00011d8a-\U00011d97\U00011ef3-\U00011ef6\U00011f00\U00011f01\U00011f03\U00011f34-\U00011f42'
        '\U00011f5a\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36'
        '\U00016f4f\U00016f51-\U00016f92\U00016fe4-\U00016ff1\U0001bc9d\U0001bc9e\U0001cf00-\U0001cf46'
        '\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad'
        '\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001daaf'
        '\U0001e000-\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef'
        '\U0001e5ee\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6'
        '\U0001e944-\U0001e94a\U000e0100-\U000e01ef'
        ']', '', 'g')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'łøđ', 'lod'),
      '['
        '\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02eb\u02ed'
        '\u02ef-\u02ff\u0375\u03f6\u0482\u055a-\u055f\u0589-\u05c6\u05f3-\u061f\u066a-\u066d\u06d4\u06dd\u06de'
        '\u06e9\u06fd\u06fe\u0700-\u070f\u07f6-\u07f9\u07fe\u07ff\u0830-\u083e\u085e\u0888\u0890\u0891\u08e2'
        '\u0964\u0965\u0970\u09f2\u09f3\u09fa\u09fb\u09fd\u0a76\u0af0\u0af1\u0b70\u0bf3-\u0bfa\u0c77\u0c7f\u0c84'
        '\u0d4f\u0d79\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f1f\u0f34-\u0f3d\u0f85\u0fbe-\u0fda\u104a-\u104f'
        '\u109e\u109f\u10fb\u1360-\u1368\u1390-\u1399\u1400\u166d\u166e\u1680\u169b\u169c\u16eb-\u16ed\u1735\u1736'
        '\u17d4-\u17d6\u17d8-\u17db\u1800-\u180e\u1940-\u1945\u19de-\u19ff\u1a1e\u1a1f\u1aa0-\u1aa6\u1aa8-\u1aad'
        '\u1b4e\u1b4f\u1b5a-\u1b7f\u1bfc-\u1bff\u1c3b-\u1c3f\u1c7e\u1c7f\u1cc0-\u1cd3\u200b-\u212e\u213a-\u214d'
        '\u214f\u218a-\u244a\u2500-\u2775\u2794-\u2bff\u2ce5-\u2cea\u2cf9-\u2cfc\u2cfe\u2cff\u2d70\u2e00-\u2e2e'
        '\u2e30-\u3004\u3008-\u3020\u3030\u3037\u303d-\u303f\u30a0\u30fb\u3190\u3191\u31c0-\u31ef\u327f'
        '\u4dc0-\u4dff\ua490-\ua4c6\ua4fe\ua4ff\ua60d-\ua60f\ua673-\ua67e\ua6f2-\ua716\ua720\ua721\ua789\ua78a'
        '\ua828-\ua82b\ua836-\ua839\ua874-\ua877\ua8ce\ua8cf\ua8f8-\ua8fa\ua8fc\ua92e\ua92f\ua95f\ua9c1-\ua9cd'
        '\ua9de\ua9df\uaa5c-\uaa5f\uaa77-\uaa79\uaade\uaadf\uaaf0\uaaf1\uab5b\uab6a\uab6b\uabeb\ue000-\uf8ff'
        '\ufbb2-\ufe46\ufeff-\ufffd\U00010100-\U00010102\U00010137-\U0001013f\U00010179-\U00010189'
        '\U0001018c-\U000101fc\U0001039f\U000103d0\U0001056f\U00010857\U00010877\U00010878\U0001091f\U0001093f'
        '\U00010a50-\U00010a58\U00010a7f\U00010ac8\U00010af0-\U00010af6\U00010b39-\U00010b3f\U00010b99-\U00010b9c'
        '\U00010d6e\U00010d8e\U00010d8f\U00010ead\U00010ed0-\U00010ed8\U00010f55-\U00010f59\U00010f86-\U00010f89'
        '\U00011047-\U0001104d\U000110bb-\U000110cd\U00011140-\U00011143\U00011174\U00011175\U000111c5-\U000111cd'
        '\U000111db\U000111dd-\U000111df\U00011238-\U0001123d\U000112a9\U000113d4-\U000113d8\U0001144b-\U0001144f'
        '\U0001145a-\U0001145d\U000114c6\U000115c1-\U000115d7\U00011641-\U00011643\U00011660-\U0001166c\U000116b9'
        '\U0001173c-\U0001173f\U0001183b\U00011944-\U00011946\U000119e2\U00011a3f-\U00011a46\U00011a9a-\U00011a9c'
        '\U00011a9e-\U00011aa2\U00011b00-\U00011b09\U00011be1\U00011c41-\U00011c45\U00011c70\U00011c71'
        '\U00011ef7\U00011ef8\U00011f43-\U00011f4f\U00011fd5-\U00011fff\U00012470-\U00012474\U00012ff1\U00012ff2'
        '\U00013430-\U0001343f\U00016a6e\U00016a6f\U00016af5\U00016b37-\U00016b3f\U00016b44\U00016b45'
        '\U00016d6d-\U00016d6f\U00016e97-\U00016e9a\U00016fe2\U0001bc9c-\U0001d245\U0001d300-\U0001d356'
        '\U0001d800-\U0001da8b\U0001e14f\U0001e2ff\U0001e5ff\U0001e95e\U0001e95f\U0001ecac\U0001ecb0\U0001ed2e'
        '\U0001eef0-\U0001f0f5\U0001f10d-\U0001fbfa\U000e0001-\U0010fffd'
      ']+') as word
   cross join lateral generate_series(1, length(word), 64) as first
$$;

grant select (name) on schema_migrations to svc_engine;

create table tenants (
  tenant_id text primary key,
  name text not null,
  data_handling_profile text not null default 'minimized_evidence',
  config_version integer not null default 1,
  created_at timestamptz not null,
  idp_issuer text,
  telemetry_deployment uuid not null default gen_random_uuid(),
  telemetry_opted_out_at timestamptz,
  constraint tenants_issuer unique (tenant_id, idp_issuer),
  constraint tenants_id_shape check (tenant_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint tenants_profile check (data_handling_profile in ('metadata_only', 'minimized_evidence',
    'enhanced_evidence'))
);
create unique index tenants_idp_issuer on tenants (idp_issuer);
call protect_tenant_table('tenants');
create policy auth_read on tenants for select to svc_auth using (true);
call open_to_provisioning('tenants');
create policy provision_list on tenants for select to svc_provision using (true);
grant select, update (config_version, data_handling_profile, telemetry_deployment,
    telemetry_opted_out_at) on tenants to svc_app;
grant select (idp_issuer, tenant_id) on tenants to svc_auth;
grant update (idp_issuer) on tenants to svc_provision;

create table principals (
  tenant_id text not null,
  principal_id text not null,
  display_name text not null,
  title text not null default '',
  department text not null default '',
  status text not null default 'active',
  idp_issuer text,
  idp_subject text,
  last_sign_in_at timestamptz,
  kind text not null default 'person',
  email text,
  directory_id text,
  created_at timestamptz,
  primary key (tenant_id, principal_id),
  constraint principals_id_unique unique (principal_id),
  constraint principals_identity_unique unique (idp_issuer, idp_subject),
  constraint principals_issuer_of_tenant foreign key (tenant_id, idp_issuer) references tenants(tenant_id,
    idp_issuer) on UPDATE CASCADE,
  constraint principals_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint principals_identity_whole check ((idp_issuer is null) = (idp_subject is null)),
  constraint principals_kind check (kind in ('person', 'service')),
  constraint principals_status check (status in ('active', 'disabled'))
);
create unique index principals_directory on principals (tenant_id, directory_id);
call protect_tenant_table('principals');
create policy auth_read on principals for select to svc_auth using (true);
create policy engine_read on principals for select to svc_engine using (true);
call open_to_provisioning('principals');
grant select, insert, update (department, directory_id, display_name, email, idp_issuer, idp_subject,
    last_sign_in_at, status, title) on principals to svc_app;
grant select on principals to svc_auth;
grant select on principals to svc_engine;
grant update (idp_issuer, idp_subject) on principals to svc_provision;

create table principal_roles (
  tenant_id text not null,
  principal_id text not null,
  role text not null,
  source text not null default 'granted',
  granted_by text,
  granted_at timestamptz,
  primary key (tenant_id, principal_id, role, source),
  constraint principal_roles_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint principal_roles_not_own check (granted_by is distinct from principal_id),
  constraint principal_roles_role check (role in ('platform_admin', 'governance_admin', 'domain_owner',
    'remediation_approver', 'auditor')),
  constraint principal_roles_source check (source in ('granted', 'claimed'))
);
call protect_tenant_table('principal_roles');
create policy auth_read on principal_roles for select to svc_auth using (true);
create policy engine_read on principal_roles for select to svc_engine using (true);
call open_to_provisioning('principal_roles');
grant select, insert, delete on principal_roles to svc_app;
grant select on principal_roles to svc_auth;
grant select on principal_roles to svc_engine;
grant delete on principal_roles to svc_provision;

create table sessions (
  session_hash bytea primary key,
  tenant_id text not null,
  principal_id text not null,
  auth_mode text not null,
  csrf_token text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  session_id text not null default ('ses_' || replace((gen_random_uuid())::text, '-', '')),
  client text not null default '',
  constraint sessions_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint sessions_auth_mode check (auth_mode in ('dev', 'idp')),
  constraint sessions_hash_length check (octet_length(session_hash) = 32)
);
create index sessions_by_principal on sessions (tenant_id, principal_id, last_seen_at desc);
create index sessions_ended on sessions (tenant_id, expires_at, session_id);
create unique index sessions_id on sessions (session_id);
call protect_tenant_table('sessions');
create policy auth_read on sessions for select to svc_auth using (true);
create policy auth_touch on sessions for update to svc_auth using (true);
grant select (auth_mode, client, created_at, expires_at, last_seen_at, principal_id, revoked_at, session_hash,
    session_id, tenant_id), insert, update (revoked_at), delete on sessions to svc_app;
grant select, update (last_seen_at) on sessions to svc_auth;

create table domains (
  tenant_id text not null,
  domain_id text not null,
  name text not null,
  description text not null default '',
  inclusion text not null default '',
  exclusion text not null default '',
  status text not null default 'draft',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  origin text not null default 'provisioned',
  provider text,
  model text,
  created_by text,
  approved_by text,
  approved_at timestamptz,
  revision integer not null default 1,
  primary key (tenant_id, domain_id),
  constraint domains_tenant_id_approved_by_fkey foreign key (tenant_id, approved_by) references principals(tenant_id,
    principal_id),
  constraint domains_tenant_id_created_by_fkey foreign key (tenant_id, created_by) references principals(tenant_id,
    principal_id),
  constraint domains_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint domains_approved_by check (((approved_by is null) = (approved_at is null))
    and case when (status = 'approved') then ((approved_by is not null)
    or (origin = 'provisioned')) else (approved_by is null) end),
  constraint domains_generated_by check ((origin = 'generated') = ((provider is not null) and (model is not null))),
  constraint domains_origin check (origin in ('provisioned', 'generated', 'manual')),
  constraint domains_status check (status in ('draft', 'approved'))
);
create unique index domains_name on domains (tenant_id, lower(name));
call protect_tenant_table('domains');
call open_to_provisioning('domains');
grant select, insert, update (approved_at, approved_by, description, exclusion, inclusion, name, revision, status,
    updated_at) on domains to svc_app;

create table information_types (
  tenant_id text not null,
  information_type_id text not null,
  domain_id text not null,
  name text not null,
  definition text not null default '',
  sensitivity_rationale text not null default '',
  expected_location_note text not null default '',
  sensitivity text not null default 'internal',
  indicators jsonb not null default '{"keywords": [], "detectors": []}'::jsonb,
  status text not null default 'draft',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  origin text not null default 'provisioned',
  provider text,
  model text,
  created_by text,
  approved_by text,
  approved_at timestamptz,
  revision integer not null default 1,
  name_words text[] generated always as (search_words(name)) stored,
  primary key (tenant_id, information_type_id),
  constraint information_types_domain_pair unique (tenant_id, information_type_id, domain_id),
  constraint information_types_tenant_id_approved_by_fkey foreign key (tenant_id, approved_by)
    references principals(tenant_id, principal_id),
  constraint information_types_tenant_id_created_by_fkey foreign key (tenant_id, created_by)
    references principals(tenant_id, principal_id),
  constraint information_types_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id)
    references domains(tenant_id, domain_id),
  constraint information_types_approved_by check (((approved_by is null) = (approved_at is null))
    and case when (status = 'approved') then ((approved_by is not null)
    or (origin = 'provisioned')) else (approved_by is null) end),
  constraint information_types_generated_by check ((origin = 'generated') = ((provider is not null)
    and (model is not null))),
  constraint information_types_origin check (origin in ('provisioned', 'generated', 'manual')),
  constraint information_types_sensitivity check (sensitivity in ('public', 'internal', 'confidential', 'restricted')),
  constraint information_types_status check (status in ('draft', 'approved'))
);
create unique index information_types_name on information_types (tenant_id, domain_id, lower(name));
call protect_tenant_table('information_types');
call open_to_provisioning('information_types');
grant select, insert, update (approved_at, approved_by, definition, expected_location_note, indicators, name,
    revision, sensitivity, sensitivity_rationale, status, updated_at) on information_types to svc_app;

create table owner_assignments (
  tenant_id text not null,
  assignment_id text not null,
  principal_id text not null,
  domain_id text not null,
  kind text not null default 'owner',
  attestation_days integer,
  attested_at timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  attestation_due_at timestamptz generated always as ((((COALESCE(attested_at,
    created_at) AT TIME ZONE 'UTC') + ((attestation_days)::double precision * '24:00:00'::interval)) AT TIME ZONE 'UTC')) stored,
  overdue_noted_at timestamptz,
  primary key (tenant_id, assignment_id),
  constraint owner_assignments_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id)
    references domains(tenant_id, domain_id),
  constraint owner_assignments_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint owner_assignments_attestation check ((attestation_days >= 1) and (attestation_days <= 730)),
  constraint owner_assignments_kind check (kind in ('owner', 'delegate', 'steward'))
);
create unique index owner_assignments_active on owner_assignments (tenant_id, principal_id, domain_id, kind)
    where ended_at is null;
create index owner_assignments_attestation_due on owner_assignments (tenant_id, attestation_due_at)
    where (ended_at is null) and (attestation_due_at is not null);
create index owner_assignments_domain on owner_assignments (tenant_id, domain_id) where ended_at is null;
call protect_tenant_table('owner_assignments');
create policy auth_read on owner_assignments for select to svc_auth using (true);
create policy engine on owner_assignments for select to svc_engine using (true);
call open_to_provisioning('owner_assignments');
grant select, insert (assignment_id, attestation_days, created_at, domain_id, kind, principal_id, tenant_id),
    update (attestation_days, attested_at, ended_at, overdue_noted_at) on owner_assignments to svc_app;
grant select on owner_assignments to svc_auth;
grant select (attestation_due_at, ended_at, overdue_noted_at, tenant_id) on owner_assignments to svc_engine;

create table audit_heads (
  tenant_id text primary key,
  seq bigint not null,
  hash text not null,
  constraint audit_heads_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
);
call protect_tenant_table('audit_heads');
create policy engine on audit_heads for select to svc_engine using (true);
create policy writer on audit_heads to svc_audit using ((tenant_id = current_setting('svc.tenant_id', true))) with
    check ((tenant_id = current_setting('svc.tenant_id', true)));
grant select on audit_heads to svc_app;
grant select, insert, update on audit_heads to svc_audit;
grant select (seq, tenant_id) on audit_heads to svc_engine;

create table audit_events (
  tenant_id text not null,
  seq bigint not null,
  record text not null,
  hash text not null,
  category text not null generated always as ((((record)::jsonb -> 'event') ->> 'category')) stored,
  primary key (tenant_id, seq),
  constraint audit_events_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint audit_events_category check (category in ('auth', 'config', 'governance', 'scan', 'evidence_access',
    'review', 'analyst', 'action', 'model')),
  constraint audit_events_seq check (seq > 0)
);
create index audit_events_category on audit_events (tenant_id, category, seq desc);
call protect_tenant_table('audit_events');
create policy writer on audit_events for insert to svc_audit with
    check ((tenant_id = current_setting('svc.tenant_id', true)));
grant select on audit_events to svc_app;
grant insert on audit_events to svc_audit;

create table connector_instances (
  tenant_id text not null,
  connector_instance_id text not null,
  family text not null,
  mode text not null,
  created_at timestamptz not null,
  primary key (tenant_id, connector_instance_id),
  constraint connector_instances_family unique (tenant_id, family),
  constraint connector_instances_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint connector_instances_mode check (mode in ('mock', 'live'))
);
call protect_tenant_table('connector_instances');
grant select, insert, update on connector_instances to svc_app;

create table scopes (
  tenant_id text not null,
  scope_id text not null,
  connector_instance_id text not null,
  family text not null,
  external_id text not null,
  name text not null,
  kind text not null,
  selected boolean not null default true,
  coverage_state text,
  delta_cursor text,
  delta_cursor_status text not null default 'none',
  delta_cursor_at timestamptz,
  expected_domain_id text,
  asset_count integer not null default 0,
  created_at timestamptz not null,
  config_version integer,
  primary key (tenant_id, scope_id),
  constraint scopes_external unique (tenant_id, connector_instance_id, external_id),
  constraint scopes_expected_domain_fkey foreign key (tenant_id, expected_domain_id) references domains(tenant_id,
    domain_id),
  constraint scopes_tenant_id_connector_instance_id_fkey foreign key (tenant_id, connector_instance_id)
    references connector_instances(tenant_id, connector_instance_id),
  constraint scopes_coverage check (coverage_state in ('baseline', 'delta', 'stale')),
  constraint scopes_cursor_status check (delta_cursor_status in ('none', 'valid', 'resync_required'))
);
create index scopes_expected_domain on scopes (tenant_id, expected_domain_id);
call protect_tenant_table('scopes');
create policy engine on scopes for select to svc_engine using (true);
grant select, insert, update on scopes to svc_app;
grant select on scopes to svc_engine;

create table campaigns (
  tenant_id text not null,
  campaign_id text not null,
  scope_id text,
  kind text not null,
  status text not null default 'pending',
  created_by text,
  correlation_id text not null,
  units_total integer not null default 0,
  units_completed integer not null default 0,
  units_dead integer not null default 0,
  units_cancelled integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  follows_decisions boolean not null default false,
  cancelling boolean not null default false,
  second_opinions integer not null default 0,
  primary key (tenant_id, campaign_id),
  constraint campaigns_id unique (campaign_id),
  constraint campaigns_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint campaigns_tenant_id_scope_id_fkey foreign key (tenant_id, scope_id) references scopes(tenant_id,
    scope_id),
  constraint campaigns_cancelling_status check ((status = 'cancelled') or (not cancelling)),
  constraint campaigns_completed check ((status <> 'completed')
    or (units_total = ((units_completed + units_dead) + units_cancelled))),
  constraint campaigns_follows_decisions check ((kind = 'rescore') or (not follows_decisions)),
  constraint campaigns_kind check (kind in ('inventory', 'delta', 'rescore')),
  constraint campaigns_scope_of_kind check ((kind = 'rescore') = (scope_id is null)),
  constraint campaigns_second_opinions check (second_opinions >= 0),
  constraint campaigns_status check (status in ('pending', 'running', 'paused', 'completed', 'cancelled'))
);
create unique index campaigns_active_rescore on campaigns (tenant_id, follows_decisions) where (kind = 'rescore')
    and (status in ('pending', 'running', 'paused'));
create unique index campaigns_active_scope on campaigns (tenant_id, scope_id) where status in ('pending', 'running',
    'paused');
create index campaigns_cancelling on campaigns (finished_at) where cancelling;
create index campaigns_ended on campaigns (tenant_id, finished_at, campaign_id) where status in ('completed',
    'cancelled');
create index campaigns_listed on campaigns (tenant_id, created_at desc, campaign_id desc)
    where not ((status = 'completed') and (units_dead = 0) and (follows_decisions or ((kind = 'delta')
    and (created_by is null))));
create index campaigns_listed_of_scope on campaigns (tenant_id, scope_id, created_at desc, campaign_id desc)
    where not ((status = 'completed') and (units_dead = 0) and (follows_decisions or ((kind = 'delta')
    and (created_by is null))));
create index campaigns_newest_of_scope on campaigns (tenant_id, scope_id, created_at desc, campaign_id desc);
create index campaigns_of_scope on campaigns (tenant_id, scope_id, started_at) where started_at is not null;
create index campaigns_routine on campaigns (tenant_id, finished_at, campaign_id) where (status = 'completed')
    and (units_dead = 0) and (follows_decisions or ((kind = 'delta') and (created_by is null)));
call protect_tenant_table('campaigns');
create policy ended on campaigns as restrictive for delete to svc_app using (((status in ('completed', 'cancelled'))
    and (not cancelling)));
create policy engine on campaigns to svc_engine using (true);
grant select, insert, update (cancelling, finished_at, second_opinions, status, units_dead, units_total),
    delete on campaigns to svc_app;
grant select, update (cancelling, finished_at, started_at, status, units_cancelled, units_completed,
    units_dead) on campaigns to svc_engine;

create table campaign_stage_counts (
  tenant_id text not null,
  campaign_id text not null,
  stage text not null,
  outcome text not null,
  count integer not null,
  primary key (tenant_id, campaign_id, stage, outcome),
  constraint campaign_stage_counts_tenant_id_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references campaigns(tenant_id, campaign_id),
  constraint campaign_stage_counts_outcome check (outcome in ('computed', 'cache_hit', 'skipped', 'failed')),
  constraint campaign_stage_counts_stage check (stage in ('observe', 'permissions', 'labels', 'content', 'features',
    'inference'))
);
call protect_tenant_table('campaign_stage_counts');
create policy engine on campaign_stage_counts to svc_engine using (true);
grant select, delete on campaign_stage_counts to svc_app;
grant select, insert, update on campaign_stage_counts to svc_engine;

create table work_units (
  unit_id bigint generated always as identity,
  tenant_id text not null,
  campaign_id text not null,
  kind text not null,
  logical_key text not null,
  payload jsonb not null,
  status text not null default 'pending',
  attempt integer not null default 0,
  max_attempts integer not null default 4,
  run_after timestamptz not null,
  lease_owner text,
  lease_expires_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (unit_id) with (fillfactor=40),
  constraint work_units_once unique (campaign_id, logical_key) with (fillfactor=40),
  constraint work_units_kind check (kind in ('inventory_page', 'delta_run', 'process_asset', 'rescore_asset')),
  constraint work_units_lease check ((status = 'leased') = ((lease_owner is not null)
    and (lease_expires_at is not null))),
  constraint work_units_max_attempts check ((max_attempts >= 1) and (max_attempts <= 20)),
  constraint work_units_status check (status in ('pending', 'leased', 'completed', 'failed', 'dead', 'cancelled'))
);
create index work_units_due on work_units (campaign_id, run_after, unit_id) where status = 'pending';
create index work_units_lease_end on work_units (lease_expires_at) where lease_expires_at is not null;
call protect_tenant_table('work_units');
create policy engine on work_units to svc_engine using (true);
create policy settled on work_units as restrictive for delete to svc_app using ((status in ('completed', 'failed',
    'dead', 'cancelled')));
grant select, insert, update (attempt, payload, run_after, settled_at, status), delete on work_units to svc_app;
grant select, update (attempt, lease_expires_at, lease_owner, run_after, settled_at,
    status) on work_units to svc_engine;

create table dead_letters (
  tenant_id text not null,
  dead_letter_id text not null,
  campaign_id text not null,
  unit_id bigint not null,
  retry_class text not null,
  safe_diagnostic text not null,
  attempt integer not null,
  created_at timestamptz not null,
  retried_at timestamptz,
  primary key (tenant_id, dead_letter_id),
  constraint dead_letters_tenant_id_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references campaigns(tenant_id, campaign_id),
  constraint dead_letters_unit_id_fkey foreign key (unit_id) references work_units(unit_id),
  constraint dead_letters_class check (retry_class in ('transient', 'throttled', 'auth', 'unsupported', 'corrupt',
    'policy_denied', 'permanent')),
  constraint dead_letters_diagnostic check (safe_diagnostic ~ '^[A-Za-z0-9_.:-]{1,120}$')
);
create index dead_letters_campaign on dead_letters (tenant_id, campaign_id, created_at desc);
create index dead_letters_recent on dead_letters (tenant_id, created_at desc, dead_letter_id desc);
create index dead_letters_unit on dead_letters (unit_id);
call protect_tenant_table('dead_letters');
create policy engine on dead_letters to svc_engine using (true);
grant select, update (retried_at), delete on dead_letters to svc_app;
grant select, insert on dead_letters to svc_engine;

create table assets (
  tenant_id text not null,
  asset_id text not null,
  scope_id text not null,
  external_id text not null,
  status text not null default 'active',
  name text not null,
  path text not null,
  kind text not null,
  size_bytes bigint not null,
  mime_type text,
  source_url text,
  source_version text not null,
  content_version text not null,
  source_created_at timestamptz,
  source_modified_at timestamptz,
  modified_by text,
  content_state text not null default 'not_fetched',
  content_reason text,
  format text,
  content_hash bytea,
  label_state text not null default 'unknown',
  label_guid text,
  label_name text,
  label_observed_at timestamptz,
  grants jsonb not null default '[]'::jsonb,
  permissions_complete boolean not null default false,
  permissions_observed_at timestamptz,
  stage_keys jsonb not null default '{}'::jsonb,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  seen_campaign_id text,
  decided boolean not null default false,
  risk_severity text,
  changed_at timestamp(3) with time zone not null default now(),
  content_modified_at timestamptz,
  deleted_at timestamptz,
  parent_external_id text,
  emptied_at timestamptz,
  primary key (tenant_id, asset_id),
  constraint assets_external unique (tenant_id, scope_id, external_id),
  constraint assets_tenant_id_scope_id_fkey foreign key (tenant_id, scope_id) references scopes(tenant_id, scope_id),
  constraint assets_content_state check (content_state in ('not_fetched', 'available', 'partial', 'unsupported',
    'failed', 'inaccessible')),
  constraint assets_id_shape check (asset_id ~ '^ast_'),
  constraint assets_label_state check (label_state in ('labeled', 'unlabeled', 'unknown')),
  constraint assets_risk_severity check (risk_severity in ('low', 'medium', 'high', 'critical')),
  constraint assets_status check (status in ('active', 'deleted'))
) with (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000);
create index assets_by_id on assets using hash (asset_id);
create index assets_changed on assets (tenant_id, changed_at desc, asset_id desc) where status = 'active';
create index assets_changed_label on assets (tenant_id, label_state, changed_at desc, asset_id desc)
    where status = 'active';
create index assets_changed_risk on assets (tenant_id, risk_severity, changed_at desc, asset_id desc)
    where (status = 'active') and (risk_severity is not null);
create index assets_decided_copies on assets (tenant_id, content_hash) where decided and (content_hash is not null)
    and (status = 'active');
create index assets_name_start on assets (tenant_id, lower("left"(name, 32)) text_pattern_ops)
    where status = 'active';
create index assets_parent on assets (tenant_id, scope_id, parent_external_id) where parent_external_id is not null;
create index assets_removed on assets (tenant_id, deleted_at, asset_id) where (status = 'deleted')
    and ((emptied_at is null) or (emptied_at < deleted_at));
create index assets_same_bytes on assets (tenant_id, content_hash, asset_id) where (content_hash is not null)
    and (status = 'active');
create index assets_unobserved on assets (tenant_id, scope_id, asset_id) where (status = 'active')
    and (source_version is distinct from (stage_keys ->> 'observe'));
create index assets_words on assets using gin (tenant_id,
    lower(((((name || E'\n') || path) || E'\n') || COALESCE(format, ''))) gin_trgm_ops) where status = 'active';
call protect_tenant_table('assets');
create policy search_read on assets for select to svc_search using (true);
grant select, insert, update on assets to svc_app;
grant select (asset_id, format, name, path, status, tenant_id) on assets to svc_search;

create table asset_versions (
  tenant_id text not null,
  asset_id text not null,
  version integer not null,
  source_version text not null,
  content_version text not null,
  name text not null,
  path text not null,
  size_bytes bigint not null,
  content_state text not null,
  content_reason text,
  format text,
  observed_at timestamptz not null,
  primary key (tenant_id, asset_id, version),
  constraint asset_versions_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id)
);
call protect_tenant_table('asset_versions');
grant select, insert on asset_versions to svc_app;

create table asset_features (
  tenant_id text not null,
  asset_id text not null,
  features_key text not null,
  features jsonb not null,
  signal_kinds text[] not null,
  excerpts jsonb not null default '[]'::jsonb,
  computed_at timestamptz not null,
  search_lexemes text[],
  primary key (tenant_id, asset_id),
  constraint asset_features_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id)
);
create index asset_features_excerpts on asset_features (tenant_id, computed_at desc, asset_id)
    where excerpts <> '[]'::jsonb;
create index asset_features_found on asset_features (tenant_id, asset_id) include (signal_kinds)
    where signal_kinds <> '{}'::text[];
call protect_tenant_table('asset_features');
grant select, insert, update, delete on asset_features to svc_app;

create table fixture_scopes (
  tenant_id text not null,
  external_id text not null,
  name text not null,
  change_seq integer not null,
  cursor_epoch integer not null,
  primary key (tenant_id, external_id),
  constraint fixture_scopes_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
);
call protect_tenant_table('fixture_scopes');
call open_to_provisioning('fixture_scopes');
grant select, insert, update on fixture_scopes to svc_app;
grant update on fixture_scopes to svc_provision;

create table fixture_items (
  tenant_id text not null,
  scope_external_id text not null,
  external_id text not null,
  change_seq integer not null,
  deleted boolean not null,
  item jsonb not null,
  primary key (tenant_id, scope_external_id, external_id),
  constraint fixture_items_tenant_id_scope_external_id_fkey foreign key (tenant_id, scope_external_id)
    references fixture_scopes(tenant_id, external_id)
);
create index fixture_items_changes on fixture_items (tenant_id, scope_external_id, change_seq);
call protect_tenant_table('fixture_items');
call open_to_provisioning('fixture_items');
grant select, insert, update on fixture_items to svc_app;
grant update on fixture_items to svc_provision;

create table asset_sketches (
  tenant_id text not null,
  asset_id text not null,
  shingles bytea,
  template bytea,
  bands integer[] not null,
  primary key (tenant_id, asset_id),
  constraint asset_sketches_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id)
);
call protect_tenant_table('asset_sketches');
grant select, insert, update, delete on asset_sketches to svc_app;

create table sketch_bands (
  tenant_id text not null,
  band integer not null,
  asset_id text not null,
  decided boolean not null,
  primary key (tenant_id, band, asset_id)
);
create index sketch_bands_decided on sketch_bands (tenant_id, band, asset_id) where decided;
call protect_tenant_table('sketch_bands');
grant select, insert, update (decided), delete on sketch_bands to svc_app;

create table asset_contents (
  tenant_id text not null,
  asset_id text not null,
  content_hash bytea not null,
  primary key (tenant_id, asset_id, content_hash),
  constraint asset_contents_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint asset_contents_hash_length check (octet_length(content_hash) = 32)
);
create index asset_contents_hash on asset_contents (tenant_id, content_hash, asset_id);
call protect_tenant_table('asset_contents');
grant select, insert, delete on asset_contents to svc_app;

create table asset_vectors (
  tenant_id text not null,
  asset_id text not null,
  space integer not null,
  vector bytea not null,
  bits bit(512) not null,
  cell integer not null default 0,
  primary key (tenant_id, asset_id),
  constraint asset_vectors_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id)
);
create index asset_vectors_cells on asset_vectors (tenant_id, space, cell, asset_id) include (bits);
create index asset_vectors_unsorted on asset_vectors (tenant_id, space) where cell = 0;
call protect_tenant_table('asset_vectors');
grant select, insert, update, delete on asset_vectors to svc_app;

create table vector_generations (
  tenant_id text not null,
  space integer not null,
  first_cell integer not null,
  cell_count integer not null,
  dimensions integer not null,
  centroids bytea not null,
  trained_on bigint not null,
  sorted bigint not null default 0,
  created_at timestamptz not null,
  primary key (tenant_id, space, first_cell),
  constraint vector_generations_first check (first_cell > 0)
);
call protect_tenant_table('vector_generations');
grant select, insert, update (sorted), delete on vector_generations to svc_app;

create table sensitivity_labels (
  tenant_id text not null,
  label_guid text not null,
  name text not null,
  rank smallint not null,
  updated_at timestamptz not null,
  primary key (tenant_id, label_guid),
  constraint sensitivity_labels_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint sensitivity_labels_rank check (rank >= 0)
);
call protect_tenant_table('sensitivity_labels');
grant select, insert, update, delete on sensitivity_labels to svc_app;

create table asset_risks (
  tenant_id text not null,
  asset_id text not null,
  components jsonb not null,
  policy_version text not null,
  computed_at timestamptz not null,
  primary key (tenant_id, asset_id),
  constraint asset_risks_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id)
);
call protect_tenant_table('asset_risks');
grant select, insert, update on asset_risks to svc_app;

create table scanners (
  scanner_id text primary key,
  display_name text not null,
  host text not null,
  capabilities text[] not null default '{m365}'::text[],
  version text not null,
  draining boolean not null default false,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  processed bigint not null default 0,
  failed bigint not null default 0,
  constraint scanners_id_shape check (scanner_id ~ '^[A-Za-z0-9._-]{1,64}$')
);
create index scanners_heartbeat on scanners (heartbeat_at desc, scanner_id);
grant select (draining, heartbeat_at, scanner_id), update (draining) on scanners to svc_app;
grant select, insert, update, delete on scanners to svc_engine;

create table change_subscriptions (
  tenant_id text not null,
  subscription_id text not null,
  scope_id text not null,
  forced boolean not null default false,
  mode text not null,
  status text,
  external_id text,
  expires_at timestamptz,
  renewed_at timestamptz,
  last_error text,
  claim text,
  busy_until timestamptz,
  hinted_at timestamptz,
  created_at timestamptz not null,
  secret_id text,
  primary key (tenant_id, subscription_id),
  constraint change_subscriptions_external unique (external_id),
  constraint change_subscriptions_scope unique (tenant_id, scope_id, forced),
  constraint change_subscriptions_tenant_id_scope_id_fkey foreign key (tenant_id, scope_id)
    references scopes(tenant_id, scope_id),
  constraint change_subscriptions_confirmed check ((status is null) or ((external_id is not null)
    and (expires_at is not null))),
  constraint change_subscriptions_last_error check (last_error in ('subscribe_failed', 'renew_failed')),
  constraint change_subscriptions_mode check (mode in ('mock', 'live')),
  constraint change_subscriptions_secret check (secret_id ~ '^[0-9a-f]{8}$'),
  constraint change_subscriptions_status check (status in ('active', 'expiring', 'expired', 'error', 'removed'))
);
create index change_subscriptions_hinted on change_subscriptions (hinted_at) where hinted_at is not null;
create index change_subscriptions_recent on change_subscriptions (tenant_id, created_at desc, subscription_id desc);
create index change_subscriptions_running on change_subscriptions (tenant_id, expires_at) where status in ('active',
    'expiring');
call protect_tenant_table('change_subscriptions');
create policy engine on change_subscriptions for select to svc_engine using (true);
grant select, insert, update (busy_until, claim, expires_at, external_id, hinted_at, last_error, mode, renewed_at,
    secret_id, status) on change_subscriptions to svc_app;
grant select (busy_until, claim, expires_at, external_id, forced, hinted_at, scope_id, status, subscription_id,
    tenant_id) on change_subscriptions to svc_engine;

create table change_notifications (
  tenant_id text not null,
  notification_id text not null,
  subscription_id text not null,
  change_type text not null,
  outcome text not null,
  reject_reason text,
  source text not null,
  campaign_id text,
  event_at timestamptz,
  received_at timestamptz not null,
  primary key (tenant_id, notification_id),
  constraint change_notifications_tenant_id_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references campaigns(tenant_id, campaign_id) on delete set null (campaign_id),
  constraint change_notifications_tenant_id_subscription_id_fkey foreign key (tenant_id, subscription_id)
    references change_subscriptions(tenant_id, subscription_id),
  constraint change_notifications_enqueued check ((campaign_id is null) or (outcome = 'reconcile_enqueued')),
  constraint change_notifications_outcome check (outcome in ('reconcile_enqueued', 'reconcile_skipped',
    'deduplicated')),
  constraint change_notifications_reason check (reject_reason in ('scan_already_active', 'no_delta_cursor',
    'no_scope', 'license_required')),
  constraint change_notifications_skipped check ((outcome = 'reconcile_skipped') = (reject_reason is not null)),
  constraint change_notifications_source check (source in ('live', 'simulated')),
  constraint change_notifications_type check (change_type in ('updated', 'created', 'deleted', 'missed', 'other'))
);
create index change_notifications_accepted on change_notifications (tenant_id, subscription_id, change_type,
    received_at desc) where outcome <> 'deduplicated';
create index change_notifications_campaign on change_notifications (tenant_id, campaign_id)
    where campaign_id is not null;
create index change_notifications_received on change_notifications (received_at);
create index change_notifications_recent on change_notifications (tenant_id, received_at desc, notification_id desc);
call protect_tenant_table('change_notifications');
create policy engine on change_notifications for select to svc_engine using (true);
create policy engine_delete on change_notifications for delete to svc_engine using (true);
grant select, insert, delete on change_notifications to svc_app;
grant select (notification_id, received_at, tenant_id), delete on change_notifications to svc_engine;

create table tenant_counters (
  tenant_id text not null,
  slot bigint generated always as identity,
  not_fetched bigint not null default 0,
  available bigint not null default 0,
  partial bigint not null default 0,
  unsupported bigint not null default 0,
  failed bigint not null default 0,
  inaccessible bigint not null default 0,
  ended_units bigint not null default 0,
  ended_completed bigint not null default 0,
  ended_dead bigint not null default 0,
  primary key (tenant_id, slot),
  constraint tenant_counters_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
) with (fillfactor=50);
call protect_tenant_table('tenant_counters');
create policy engine on tenant_counters to svc_engine using (true);
grant select, insert (tenant_id), update (available, ended_completed, ended_dead, ended_units, failed, inaccessible,
    not_fetched, partial, unsupported) on tenant_counters to svc_app;
grant select, insert (tenant_id), update (available, ended_completed, ended_dead, ended_units, failed, inaccessible,
    not_fetched, partial, unsupported) on tenant_counters to svc_engine;

create table delta_listings (
  tenant_id text not null,
  scope_id text not null,
  campaign_id text not null,
  page integer not null,
  asset_ids text[] not null,
  primary key (tenant_id, scope_id, page),
  constraint delta_listings_tenant_id_scope_id_fkey foreign key (tenant_id, scope_id) references scopes(tenant_id,
    scope_id)
);
call protect_tenant_table('delta_listings');
grant select, insert, delete on delta_listings to svc_app;

create table organization_profiles (
  tenant_id text primary key,
  profile_id text not null,
  name text not null,
  industries text[] not null,
  geographies text[] not null,
  description text not null,
  updated_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint organization_profiles_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint organization_profiles_tenant_id_updated_by_fkey foreign key (tenant_id, updated_by)
    references principals(tenant_id, principal_id)
);
call protect_tenant_table('organization_profiles');
call open_to_provisioning('organization_profiles');
grant select, insert, update (description, geographies, industries, name, updated_at,
    updated_by) on organization_profiles to svc_app;

create table policy_documents (
  tenant_id text not null,
  document_id text not null,
  title text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, document_id),
  constraint policy_documents_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
);
create unique index policy_documents_title on policy_documents (tenant_id, lower(title));
call protect_tenant_table('policy_documents');
grant select, insert, update (title, updated_at, version) on policy_documents to svc_app;

create table policy_document_versions (
  tenant_id text not null,
  document_id text not null,
  version integer not null,
  filename text not null,
  content text not null,
  sections jsonb not null,
  uploaded_by text not null,
  created_at timestamptz not null,
  primary key (tenant_id, document_id, version),
  constraint policy_document_versions_tenant_id_document_id_fkey foreign key (tenant_id, document_id)
    references policy_documents(tenant_id, document_id),
  constraint policy_document_versions_tenant_id_uploaded_by_fkey foreign key (tenant_id, uploaded_by)
    references principals(tenant_id, principal_id)
);
call protect_tenant_table('policy_document_versions');
grant select, insert on policy_document_versions to svc_app;

create table regulatory_mappings (
  tenant_id text not null,
  mapping_id text not null,
  domain_id text not null,
  jurisdiction text not null,
  regulation text not null,
  rationale text not null,
  cited_document_id text,
  cited_version integer,
  cited_anchor text,
  cited_heading text,
  status text not null default 'draft',
  origin text not null,
  provider text,
  model text,
  created_by text not null,
  decided_by text,
  decided_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, mapping_id),
  constraint regulatory_mappings_tenant_id_cited_document_id_cited_vers_fkey foreign key (tenant_id,
    cited_document_id, cited_version) references policy_document_versions(tenant_id, document_id, version),
  constraint regulatory_mappings_tenant_id_created_by_fkey foreign key (tenant_id, created_by)
    references principals(tenant_id, principal_id),
  constraint regulatory_mappings_tenant_id_decided_by_fkey foreign key (tenant_id, decided_by)
    references principals(tenant_id, principal_id),
  constraint regulatory_mappings_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id)
    references domains(tenant_id, domain_id),
  constraint regulatory_mappings_citation_whole check (num_nulls(cited_document_id, cited_version, cited_anchor,
    cited_heading) = any (array[0, 4])),
  constraint regulatory_mappings_decided_by check (((status = 'draft') = (decided_by is null))
    and ((decided_by is null) = (decided_at is null))),
  constraint regulatory_mappings_generated_by check ((origin = 'generated') = ((provider is not null)
    and (model is not null))),
  constraint regulatory_mappings_origin check (origin in ('generated', 'manual')),
  constraint regulatory_mappings_status check (status in ('draft', 'approved', 'rejected'))
);
create index regulatory_mappings_list on regulatory_mappings (tenant_id, lower(jurisdiction), lower(regulation),
    mapping_id);
create unique index regulatory_mappings_once on regulatory_mappings (tenant_id, domain_id, lower(jurisdiction),
    lower(regulation)) where status <> 'rejected';
call protect_tenant_table('regulatory_mappings');
grant select, insert, update (decided_at, decided_by, revision, status, updated_at) on regulatory_mappings to svc_app;

create table review_changes (
  tenant_id text not null,
  change_id bigint generated always as identity,
  asset_id text not null,
  content_hash bytea,
  bands integer[],
  primary key (tenant_id, change_id)
);
call protect_tenant_table('review_changes');
grant select, insert, delete on review_changes to svc_app;

create table asset_placements (
  tenant_id text not null,
  asset_id text not null,
  domain_id text,
  information_type_id text,
  scope_id text not null,
  provenance text not null,
  firmest boolean not null,
  label_state text not null,
  risk_severity text,
  open_findings smallint not null,
  pending_reviews smallint not null,
  changed_at timestamp(3) with time zone not null,
  candidate_id text,
  confidence double precision,
  status text,
  decision_id text,
  changed_since_first_sight boolean not null default false,
  constraint asset_placements_once unique nulls not distinct (tenant_id, asset_id, domain_id, information_type_id),
  constraint asset_placements_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint asset_placements_domain check (((domain_id is null) = (provenance = 'unclassified'))
    and ((domain_id is null) = (candidate_id is null))),
  constraint asset_placements_provenance check (provenance in ('confirmed', 'inferred', 'routed', 'unclassified'))
) with (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000);
create index asset_placements_by_asset on asset_placements using hash (asset_id);
create index asset_placements_changed on asset_placements (tenant_id, domain_id, changed_at desc, asset_id desc)
    where firmest and (domain_id is not null);
create index asset_placements_label on asset_placements (tenant_id, domain_id, label_state, changed_at desc,
    asset_id desc) where firmest and (domain_id is not null);
create index asset_placements_open on asset_placements (tenant_id, domain_id, asset_id) where firmest
    and (open_findings > 0);
create index asset_placements_risk on asset_placements (tenant_id, domain_id, risk_severity, changed_at desc,
    asset_id desc) where firmest and (domain_id is not null) and (risk_severity is not null);
create index asset_placements_type on asset_placements (tenant_id, information_type_id, changed_at desc,
    asset_id desc) where information_type_id is not null;
call protect_tenant_table('asset_placements');
grant select, insert, update, delete on asset_placements to svc_app;

create table landscape_cells (
  tenant_id text not null,
  cell uuid not null,
  domain_id text not null,
  information_type_id text not null,
  scope_id text not null,
  provenance text not null,
  label_state text not null,
  risk_severity text not null,
  assets integer not null,
  open_findings integer not null,
  pending_reviews integer not null,
  primary key (tenant_id, cell),
  constraint landscape_cells_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
) with (fillfactor=80);
create index landscape_cells_domain on landscape_cells (tenant_id, domain_id, assets desc, cell);
create index landscape_cells_largest on landscape_cells (tenant_id, assets desc, cell);
call protect_tenant_table('landscape_cells');
grant select, insert, update (assets, open_findings, pending_reviews) on landscape_cells to svc_app;

create table domain_days (
  tenant_id text not null,
  domain_id text not null,
  day date not null,
  assets integer not null,
  primary key (tenant_id, domain_id, day),
  constraint domain_days_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
);
call protect_tenant_table('domain_days');
grant select, insert, update (assets) on domain_days to svc_app;

create table placement_changes (
  tenant_id text not null,
  change_id bigint generated always as identity,
  cell uuid not null,
  domain_id text not null,
  information_type_id text not null,
  scope_id text not null,
  provenance text not null,
  label_state text not null,
  risk_severity text not null,
  day date,
  assets integer not null,
  open_findings integer not null,
  pending_reviews integer not null,
  primary key (tenant_id, change_id),
  constraint placement_changes_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
);
create index placement_changes_domain on placement_changes (tenant_id, domain_id);
call protect_tenant_table('placement_changes');
create policy engine on placement_changes for select to svc_engine using (true);
grant select, insert, update (change_id), delete on placement_changes to svc_app;
grant select (tenant_id) on placement_changes to svc_engine;

create table audit_checkpoints (
  tenant_id text not null,
  number bigint not null,
  record text not null,
  public_key text not null,
  signature text not null,
  seq bigint not null generated always as ((((record)::jsonb ->> 'seq'))::bigint) stored,
  key_id text not null generated always as (((record)::jsonb ->> 'keyId')) stored,
  primary key (tenant_id, number),
  constraint audit_checkpoints_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint audit_checkpoints_form
    check (record ~ '^\{"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","hash":"[0-9a-f]{64}","keyId":"[A-Za-z0-9_-]{43}","number":[1-9]\d{0,14},"previous":(null|"[0-9a-f]{64}"),"seq":[1-9]\d{0,14},"tenantId":"[A-Za-z0-9_-]{1,64}","type":"audit_checkpoint"\}$'),
  constraint audit_checkpoints_place check ((((record)::jsonb ->> 'tenantId') = tenant_id)
    and ((((record)::jsonb ->> 'number'))::bigint = number)),
  constraint audit_checkpoints_public_key check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  constraint audit_checkpoints_signature check (signature ~ '^[A-Za-z0-9_-]{86}$')
);
call protect_tenant_table('audit_checkpoints');
create policy engine on audit_checkpoints for select to svc_engine using (true);
grant select, insert on audit_checkpoints to svc_app;
grant select (key_id, number, seq, tenant_id) on audit_checkpoints to svc_engine;

create table search_segments (
  tenant_id text not null,
  segment integer not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  assets integer not null,
  lexemes bigint not null,
  primary key (tenant_id, segment),
  constraint search_segments_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint search_segments_counted check (segment > 0)
);
call protect_tenant_table('search_segments');
create policy search_read on search_segments for select to svc_search using (true);
grant select, insert, delete on search_segments to svc_app;
grant select on search_segments to svc_search;

create table asset_search (
  tenant_id text not null,
  asset_id text not null,
  active boolean not null,
  changed_at timestamp(3) with time zone not null,
  marks text[] not null,
  words tsvector not null,
  segment integer,
  slot integer,
  primary key (tenant_id, asset_id),
  constraint asset_search_slots unique (tenant_id, segment, slot),
  constraint asset_search_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint asset_search_tenant_id_segment_fkey foreign key (tenant_id, segment)
    references search_segments(tenant_id, segment),
  constraint asset_search_sealed check (((segment is null) = (slot is null)) and ((slot >= 0) and (slot <= 16383))
    and (active or (segment is null)))
) with (fillfactor=70, toast_tuple_target=1024, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=2000, vacuum_index_cleanup=on);
create index asset_search_by_asset on asset_search using hash (asset_id);
create index asset_search_words on asset_search using gin (words, marks) with (fastupdate=off) where active;
call protect_tenant_table('asset_search');
create policy search_read on asset_search for select to svc_search using (true);
grant select, insert, update on asset_search to svc_app;
grant select on asset_search to svc_search;

create table search_postings (
  tenant_id text not null,
  segment integer not null,
  lexeme text not null,
  slots bit(16384) not null,
  primary key (tenant_id, segment, lexeme),
  constraint search_postings_tenant_id_segment_fkey foreign key (tenant_id, segment)
    references search_segments(tenant_id, segment) on delete cascade
);
create index search_postings_by_lexeme on search_postings (tenant_id, lexeme, segment);
call protect_tenant_table('search_postings');
create policy search_read on search_postings for select to svc_search using (true);
grant select, insert on search_postings to svc_app;
grant select on search_postings to svc_search;

create table not_found_counts (
  tenant_id text not null,
  principal_id text not null,
  endpoint text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (tenant_id, principal_id, endpoint),
  constraint not_found_counts_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint not_found_counts_count check (count > 0),
  constraint not_found_counts_endpoint check (endpoint ~ '^[a-z][a-z0-9-]{0,63}$')
);
call protect_tenant_table('not_found_counts');
grant select, insert, update (count, window_start) on not_found_counts to svc_app;

create table campaign_ends (
  tenant_id text not null,
  end_id bigint generated always as identity,
  campaign_id text not null,
  status text not null,
  units_completed integer not null,
  units_dead integer not null,
  units_cancelled integer not null,
  finished_at timestamptz,
  primary key (tenant_id, end_id),
  constraint campaign_ends_tenant_id_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references campaigns(tenant_id, campaign_id),
  constraint campaign_ends_status check (status in ('completed', 'cancelled'))
);
call protect_tenant_table('campaign_ends');
create policy engine on campaign_ends to svc_engine using (true);
grant select, insert, delete on campaign_ends to svc_app;
grant select (tenant_id), insert on campaign_ends to svc_engine;

create table sign_in_codes (
  code_hash bytea primary key,
  tenant_id text not null,
  principal_id text,
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by text,
  constraint sign_in_codes_tenant_id_created_by_fkey foreign key (tenant_id, created_by)
    references principals(tenant_id, principal_id),
  constraint sign_in_codes_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint sign_in_codes_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint sign_in_codes_tenant_id_used_by_fkey foreign key (tenant_id, used_by) references principals(tenant_id,
    principal_id),
  constraint sign_in_codes_hash_length check (octet_length(code_hash) = 32)
);
create index sign_in_codes_by_principal on sign_in_codes (tenant_id, principal_id);
call protect_tenant_table('sign_in_codes');
call open_to_provisioning('sign_in_codes');
grant select, insert, update (used_at, used_by) on sign_in_codes to svc_app;
grant update (used_at) on sign_in_codes to svc_provision;

create table call_budgets (
  budget text primary key,
  state jsonb not null,
  constraint call_budgets_budget_length check (char_length(budget) <= 2100),
  constraint call_budgets_state_size check (pg_column_size(state) <= 65536)
);
grant select, insert, update on call_budgets to svc_engine;

create table source_folders (
  tenant_id text not null,
  scope_id text not null,
  external_id text not null,
  parent_external_id text,
  name text not null,
  path text,
  state text not null default 'named',
  seen_campaign_id text,
  primary key (tenant_id, scope_id, external_id),
  constraint source_folders_tenant_id_scope_id_fkey foreign key (tenant_id, scope_id) references scopes(tenant_id,
    scope_id),
  constraint source_folders_have_a_path check ((state in ('named', 'gone')) or (path is not null)),
  constraint source_folders_state_check check (state in ('named', 'placed', 'settled', 'gone'))
);
create index source_folders_parent on source_folders (tenant_id, scope_id, parent_external_id);
create index source_folders_unsettled on source_folders (tenant_id, scope_id, state, external_id)
    where state <> 'settled';
call protect_tenant_table('source_folders');
grant select, insert, update, delete on source_folders to svc_app;

create table dataset_snapshots (
  tenant_id text not null,
  snapshot_id text not null,
  name text not null,
  description text not null,
  consent_scope text not null,
  eval_fraction double precision not null,
  seed text not null,
  digest text not null,
  clusters integer not null,
  training_positives integer not null,
  training_counterexamples integer not null,
  held_out_positives integer not null,
  held_out_counterexamples integer not null,
  omitted integer not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (tenant_id, snapshot_id),
  constraint dataset_snapshots_tenant_id_created_by_fkey foreign key (tenant_id, created_by)
    references principals(tenant_id, principal_id),
  constraint dataset_snapshots_consent check (consent_scope in ('tenant_internal', 'vendor_shareable')),
  constraint dataset_snapshots_digest check (digest ~ '^[0-9a-f]{64}$'),
  constraint dataset_snapshots_fraction check ((eval_fraction >= (0.1)::double precision)
    and (eval_fraction <= (0.9)::double precision)),
  constraint dataset_snapshots_name check (name <> ''),
  constraint dataset_snapshots_seed check (seed ~ '^[0-9a-f]{32}$'),
  constraint dataset_snapshots_sides check (((training_positives + training_counterexamples) > 0)
    and ((held_out_positives + held_out_counterexamples) > 0))
);
create index dataset_snapshots_recent on dataset_snapshots (tenant_id, created_at desc, snapshot_id desc);
call protect_tenant_table('dataset_snapshots');
grant select, insert on dataset_snapshots to svc_app;

create table analyst_queries (
  tenant_id text not null,
  query_id text not null,
  principal_id text not null,
  question text not null,
  planner text not null,
  state text not null,
  plan jsonb,
  result_count integer,
  asked_at timestamptz not null,
  primary key (tenant_id, query_id),
  constraint analyst_queries_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint analyst_queries_planner check (planner in ('deterministic', 'ai')),
  constraint analyst_queries_question check ((char_length(question) >= 1) and (char_length(question) <= 2000)),
  constraint analyst_queries_run check ((plan is null) = (state <> 'whole')),
  constraint analyst_queries_state check (state in ('whole', 'partly', 'none'))
);
create index analyst_queries_asked on analyst_queries (tenant_id, asked_at, query_id);
create index analyst_queries_of_person on analyst_queries (tenant_id, principal_id, asked_at desc, query_id desc);
call protect_tenant_table('analyst_queries');
grant select, insert, delete on analyst_queries to svc_app;

create table analyst_plans (
  tenant_id text not null,
  plan_id text not null,
  created_by text not null,
  name text not null,
  plan jsonb not null,
  shared boolean not null,
  tenant_wide boolean not null,
  created_at timestamptz not null,
  primary key (tenant_id, plan_id),
  constraint analyst_plans_tenant_id_created_by_fkey foreign key (tenant_id, created_by)
    references principals(tenant_id, principal_id),
  constraint analyst_plans_name check ((char_length(name) >= 1) and (char_length(name) <= 120))
);
create unique index analyst_plans_name on analyst_plans (tenant_id, created_by, lower(name));
create index analyst_plans_shared on analyst_plans (tenant_id, lower(name)) where shared;
call protect_tenant_table('analyst_plans');
grant select, insert, delete on analyst_plans to svc_app;

create table analyst_plan_domains (
  tenant_id text not null,
  plan_id text not null,
  domain_id text not null,
  primary key (tenant_id, plan_id, domain_id),
  constraint analyst_plan_domains_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id)
    references domains(tenant_id, domain_id),
  constraint analyst_plan_domains_tenant_id_plan_id_fkey foreign key (tenant_id, plan_id)
    references analyst_plans(tenant_id, plan_id) on delete cascade
);
call protect_tenant_table('analyst_plan_domains');
grant select, insert on analyst_plan_domains to svc_app;

create table fingerprint_keys (
  tenant_id text primary key,
  key bytea not null,
  created_at timestamptz not null,
  constraint fingerprint_keys_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint fingerprint_keys_length check (octet_length(key) = 32)
);
call protect_tenant_table('fingerprint_keys');
grant select, insert on fingerprint_keys to svc_app;

create table suppression_sets (
  tenant_id text primary key,
  version integer not null,
  constraint suppression_sets_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id)
);
call protect_tenant_table('suppression_sets');
grant select, insert, update on suppression_sets to svc_app;

create table suppressions (
  tenant_id text not null,
  suppression_id text not null,
  kind text not null,
  detector_id text not null,
  domain_id text,
  scope_id text,
  folder text,
  example_asset_id text,
  shingles bytea,
  template bytea,
  bands integer[],
  fingerprint text,
  reason text not null,
  status text not null,
  needs_approval boolean not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  ended_by text,
  ended_at timestamptz,
  from_version integer,
  until_version integer,
  primary key (tenant_id, suppression_id),
  constraint suppressions_tenant_id_decided_by_fkey foreign key (tenant_id, decided_by)
    references principals(tenant_id, principal_id),
  constraint suppressions_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id) references domains(tenant_id,
    domain_id),
  constraint suppressions_tenant_id_ended_by_fkey foreign key (tenant_id, ended_by) references principals(tenant_id,
    principal_id),
  constraint suppressions_tenant_id_example_asset_id_fkey foreign key (tenant_id, example_asset_id)
    references assets(tenant_id, asset_id),
  constraint suppressions_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint suppressions_tenant_id_proposed_by_fkey foreign key (tenant_id, proposed_by)
    references principals(tenant_id, principal_id),
  constraint suppressions_tenant_id_scope_id_fkey foreign key (tenant_id, scope_id) references scopes(tenant_id,
    scope_id),
  constraint suppressions_approved check ((from_version is null) or (not needs_approval) or (decided_by is not null)),
  constraint suppressions_decided check ((decided_by is null) = (decided_at is null)),
  constraint suppressions_detector check ((char_length(detector_id) >= 1) and (char_length(detector_id) <= 100)),
  constraint suppressions_expiry check (expires_at > proposed_at),
  constraint suppressions_fingerprint check (fingerprint ~ '^[0-9a-f]{10}$'),
  constraint suppressions_folder check ((char_length(folder) >= 1) and (char_length(folder) <= 1000)),
  constraint suppressions_in_force check ( case status when 'proposed' then (num_nonnulls(decided_by, from_version,
    ended_at) = 0) when 'active' then ((from_version is not null)
    and (ended_at is null)) when 'rejected' then ((decided_by is not null) and (num_nonnulls(from_version,
    ended_at) = 0)) else (ended_at is not null) end),
  constraint suppressions_kind check ( case kind when 'detector_in_scope' then ((scope_id is not null)
    and (num_nonnulls(example_asset_id, bands, fingerprint) = 0)) when 'template' then ((num_nulls(example_asset_id,
    bands) = 0) and (num_nonnulls(shingles, template) > 0) and (num_nonnulls(scope_id, folder,
    fingerprint) = 0)) when 'value' then ((fingerprint is not null) and (num_nonnulls(scope_id, folder,
    example_asset_id, bands) = 0)) else false end),
  constraint suppressions_reason check ((char_length(reason) >= 1) and (char_length(reason) <= 500)),
  constraint suppressions_second_person check (decided_by <> proposed_by),
  constraint suppressions_status check (status in ('proposed', 'active', 'rejected', 'revoked', 'expired')),
  constraint suppressions_tenant_wide check ((domain_id is not null) or needs_approval),
  constraint suppressions_versions check (((until_version is not null) = ((from_version is not null)
    and (ended_at is not null))) and (until_version > from_version))
);
create index suppressions_expiring on suppressions (expires_at) where status in ('proposed', 'active');
create index suppressions_newest on suppressions (tenant_id, proposed_at desc, suppression_id desc);
create unique index suppressions_once on suppressions (tenant_id, kind, detector_id, domain_id, scope_id, folder,
    example_asset_id, fingerprint) nulls not distinct where status in ('proposed', 'active');
call protect_tenant_table('suppressions');
create policy engine on suppressions for select to svc_engine using (true);
grant select, insert, update (decided_at, decided_by, ended_at, ended_by, from_version, status,
    until_version) on suppressions to svc_app;
grant select (expires_at, status, tenant_id) on suppressions to svc_engine;

create table asset_suppressions (
  tenant_id text not null,
  asset_id text not null,
  signals jsonb not null,
  suppressed jsonb not null,
  primary key (tenant_id, asset_id),
  constraint asset_suppressions_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id)
    references assets(tenant_id, asset_id),
  constraint asset_suppressions_not_empty check (jsonb_array_length(suppressed) > 0)
);
call protect_tenant_table('asset_suppressions');
grant select, insert, update, delete on asset_suppressions to svc_app;

create table ai_usage (
  tenant_id text not null,
  day date not null,
  task text not null,
  model text not null,
  calls bigint not null,
  estimated_calls bigint not null,
  unpriced_calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric(24,9) not null,
  primary key (tenant_id, day, task, model),
  constraint ai_usage_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint ai_usage_counts check ((calls > 0) and ((estimated_calls >= 0) and (estimated_calls <= calls))
    and ((unpriced_calls >= 0) and (unpriced_calls <= calls)) and (input_tokens >= 0) and (output_tokens >= 0)
    and (cost >= (0)::numeric) and ((cost = (0)::numeric) or (unpriced_calls < calls))),
  constraint ai_usage_model check ((char_length(model) >= 1) and (char_length(model) <= 256)),
  constraint ai_usage_task check (task ~ '^[a-z_]{1,32}$')
);
call protect_tenant_table('ai_usage');
grant select, insert, update on ai_usage to svc_app;

create table ai_reservations (
  tenant_id text not null,
  reservation_id text not null,
  cost numeric(24,9),
  expires_at timestamptz not null,
  task text,
  model text,
  input_tokens bigint,
  output_tokens bigint,
  primary key (tenant_id, reservation_id),
  constraint ai_reservations_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint ai_reservations_cost check (cost >= (0)::numeric),
  constraint ai_reservations_input check (input_tokens >= 0),
  constraint ai_reservations_model check ((char_length(model) >= 1) and (char_length(model) <= 256)),
  constraint ai_reservations_output check (output_tokens >= 0),
  constraint ai_reservations_task check (task ~ '^[a-z_]{1,32}$')
);
call protect_tenant_table('ai_reservations');
grant select, insert, delete on ai_reservations to svc_app;

create table licenses (
  tenant_id text primary key,
  entitlement text,
  entitlement_id text not null,
  issued_at timestamptz not null,
  activated_at timestamptz not null,
  deactivated_at timestamptz,
  renewed_at timestamptz,
  renewal_attempted_at timestamptz,
  renewal_failures integer not null default 0,
  renewal_failure text,
  clock_mark timestamptz not null,
  clock_seen timestamptz not null,
  clock_ahead_since timestamptz,
  challenge text not null,
  challenge_at timestamptz not null,
  skipped_scans bigint not null default 0,
  skipped_at timestamptz,
  constraint licenses_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint licenses_challenge check (challenge ~ '^[A-Za-z0-9_-]{22}$'),
  constraint licenses_deactivated check ((entitlement is null) = (deactivated_at is not null)),
  constraint licenses_entitlement check ((octet_length(entitlement) >= 1) and (octet_length(entitlement) <= 8192)),
  constraint licenses_entitlement_id check (entitlement_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint licenses_failed check ((renewal_failures = 0) = (renewal_failure is null)),
  constraint licenses_renewal_failure check (renewal_failure ~ '^[a-z_]{1,32}$'),
  constraint licenses_renewal_failures check (renewal_failures >= 0),
  constraint licenses_skipped check ((skipped_scans = 0) = (skipped_at is null)),
  constraint licenses_skipped_scans check (skipped_scans >= 0)
);
call protect_tenant_table('licenses');
create policy engine on licenses for select to svc_engine using (true);
grant select, insert, update on licenses to svc_app;
grant select (tenant_id) on licenses to svc_engine;

create table retention_counts (
  tenant_id text not null,
  kind text not null,
  removed bigint not null,
  primary key (tenant_id, kind),
  constraint retention_counts_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint retention_counts_kind check (kind ~ '^[a-z_]{1,32}$'),
  constraint retention_counts_removed check (removed > 0)
);
call protect_tenant_table('retention_counts');
grant select, insert, update, delete on retention_counts to svc_app;

create table telemetry_sent (
  telemetry_id text primary key,
  tenant_id text not null,
  day date not null,
  sent_at timestamptz not null,
  payload text not null,
  outcome text,
  constraint telemetry_sent_daily unique (tenant_id, day),
  constraint telemetry_sent_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint telemetry_sent_outcome check (outcome in ('accepted', 'refused', 'failed', 'timeout', 'unreachable')),
  constraint telemetry_sent_payload check ((octet_length(payload) >= 2) and (octet_length(payload) <= 4096))
);
create index telemetry_sent_oldest on telemetry_sent (tenant_id, sent_at, telemetry_id);
call protect_tenant_table('telemetry_sent');
grant select, insert, update (outcome), delete on telemetry_sent to svc_app;

create table ensembles (
  tenant_id text not null,
  version integer not null,
  candidate_threshold double precision not null,
  review_low_threshold double precision not null,
  review_high_threshold double precision not null,
  near_dup_confirmed_boost double precision not null,
  exact_dup_confirmed_boost double precision not null,
  active boolean not null,
  created_at timestamptz not null,
  release_id text,
  learned jsonb,
  primary key (tenant_id, version),
  constraint ensembles_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint ensembles_bands check (review_low_threshold <= review_high_threshold),
  constraint ensembles_candidate check ((candidate_threshold >= (0)::double precision)
    and (candidate_threshold <= (1)::double precision)),
  constraint ensembles_exact check ((exact_dup_confirmed_boost >= (0)::double precision)
    and (exact_dup_confirmed_boost <= (1)::double precision)),
  constraint ensembles_high check ((review_high_threshold >= (0)::double precision)
    and (review_high_threshold <= (1)::double precision)),
  constraint ensembles_learned check ((learned is null) or ((jsonb_typeof(learned) = 'object')
    and (octet_length((learned)::text) <= 1048576) and jsonb_path_exists(learned, '$."factors".*."factor"'::jsonpath)
    and jsonb_path_exists(learned, '$."shift"'::jsonpath) and (not jsonb_path_exists(learned,
    '$."factors".*."factor"?((@.type() != "number" || @ < 0) || @ > 3)'::jsonpath))
    and (not jsonb_path_exists(learned, '$."shift"?((@.type() != "number" || @ < -2) || @ > 2)'::jsonpath))
    and (not jsonb_path_exists(learned,
    '$."types".*."offset"?((@.type() != "number" || @ < -2) || @ > 2)'::jsonpath)))),
  constraint ensembles_low check ((review_low_threshold >= (0)::double precision)
    and (review_low_threshold <= (1)::double precision)),
  constraint ensembles_near check ((near_dup_confirmed_boost >= (0)::double precision)
    and (near_dup_confirmed_boost <= (1)::double precision))
);
create unique index ensembles_active on ensembles (tenant_id) where active;
call protect_tenant_table('ensembles');
call open_to_provisioning('ensembles');
grant select, insert, update (active) on ensembles to svc_app;

create table inferences (
  tenant_id text not null,
  inference_id text not null,
  asset_id text not null,
  information_type_id text not null,
  domain_id text not null,
  confidence double precision not null,
  contributions jsonb not null,
  ensemble_version integer not null,
  inference_key text not null,
  created_at timestamptz not null,
  primary key (tenant_id, inference_id),
  constraint inferences_once unique (tenant_id, asset_id, information_type_id, inference_key),
  constraint inferences_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint inferences_tenant_id_ensemble_version_fkey foreign key (tenant_id, ensemble_version)
    references ensembles(tenant_id, version),
  constraint inferences_tenant_id_information_type_id_domain_id_fkey foreign key (tenant_id, information_type_id,
    domain_id) references information_types(tenant_id, information_type_id, domain_id),
  constraint inferences_confidence check ((confidence >= (0)::double precision)
    and (confidence <= (1)::double precision))
);
call protect_tenant_table('inferences');
grant select, insert on inferences to svc_app;

create table model_releases (
  tenant_id text not null,
  release_id text not null,
  status text not null default 'proposed',
  config_patch jsonb not null,
  thresholds jsonb not null,
  compared_version integer not null,
  snapshot_id text,
  rationale text not null,
  proposed_by text not null,
  evaluation jsonb,
  evaluated_at timestamptz,
  decided_by text,
  promoted_version integer,
  former_version integer,
  former_release_id text,
  campaign_id text,
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  weights text not null default 'keep',
  learned jsonb,
  primary key (tenant_id, release_id),
  constraint model_releases_tenant_id_compared_version_fkey foreign key (tenant_id, compared_version)
    references ensembles(tenant_id, version),
  constraint model_releases_tenant_id_decided_by_fkey foreign key (tenant_id, decided_by)
    references principals(tenant_id, principal_id),
  constraint model_releases_tenant_id_former_release_id_fkey foreign key (tenant_id, former_release_id)
    references model_releases(tenant_id, release_id),
  constraint model_releases_tenant_id_former_version_fkey foreign key (tenant_id, former_version)
    references ensembles(tenant_id, version),
  constraint model_releases_tenant_id_promoted_version_fkey foreign key (tenant_id, promoted_version)
    references ensembles(tenant_id, version),
  constraint model_releases_tenant_id_proposed_by_fkey foreign key (tenant_id, proposed_by)
    references principals(tenant_id, principal_id),
  constraint model_releases_tenant_id_snapshot_id_fkey foreign key (tenant_id, snapshot_id)
    references dataset_snapshots(tenant_id, snapshot_id),
  constraint model_releases_decided check ((status = 'withdrawn') or ((status in ('proposed',
    'evaluated')) = (decided_by is null))),
  constraint model_releases_evaluated check (((evaluation is null) = (evaluated_at is null))
    and ((evaluation is not null) or (status in ('proposed', 'rejected', 'withdrawn')))),
  constraint model_releases_learns check ((weights <> 'learn') or ((snapshot_id is not null)
    and ((learned is not null) or (evaluation is null)))),
  constraint model_releases_promoted check (((status in ('promoted', 'superseded',
    'rolled_back')) = (promoted_version is not null)) and ((promoted_version is null) = (former_version is null))),
  constraint model_releases_status check (status in ('proposed', 'evaluated', 'approved', 'rejected', 'withdrawn',
    'promoted', 'superseded', 'rolled_back')),
  constraint model_releases_two_people check (decided_by <> proposed_by),
  constraint model_releases_weights check (weights in ('keep', 'learn', 'hand_set'))
);
create unique index model_releases_in_force on model_releases (tenant_id) where status = 'promoted';
create index model_releases_recent on model_releases (tenant_id, created_at desc, release_id desc);
call protect_tenant_table('model_releases');
grant select, insert (compared_version, config_patch, created_at, learned, proposed_by, rationale, release_id,
    snapshot_id, tenant_id, thresholds, updated_at, weights), update (campaign_id, compared_version, decided_by,
    evaluated_at, evaluation, former_release_id, former_version, learned, promoted_version, revision, status,
    thresholds, updated_at) on model_releases to svc_app;

create table release_transitions (
  tenant_id text not null,
  release_id text not null,
  revision integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  principal_id text not null,
  note text not null,
  ensemble_version integer,
  campaign_id text,
  created_at timestamptz not null,
  primary key (tenant_id, release_id, revision),
  constraint release_transitions_tenant_id_ensemble_version_fkey foreign key (tenant_id, ensemble_version)
    references ensembles(tenant_id, version),
  constraint release_transitions_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint release_transitions_tenant_id_release_id_fkey foreign key (tenant_id, release_id)
    references model_releases(tenant_id, release_id)
);
call protect_tenant_table('release_transitions');
grant select, insert on release_transitions to svc_app;

create table asset_scorings (
  tenant_id text not null,
  asset_id text not null,
  scored_key text not null,
  inference_key text not null,
  result_key text not null,
  ensemble_version integer not null,
  scored_at timestamptz not null,
  primary key (tenant_id, asset_id),
  constraint asset_scorings_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint asset_scorings_tenant_id_ensemble_version_fkey foreign key (tenant_id, ensemble_version)
    references ensembles(tenant_id, version)
);
call protect_tenant_table('asset_scorings');
grant select, insert, update, delete on asset_scorings to svc_app;

create table candidates (
  tenant_id text not null,
  candidate_id text not null,
  asset_id text not null,
  scope_id text not null,
  domain_id text not null,
  information_type_id text,
  inference_id text,
  confidence double precision,
  band text not null,
  band_rank smallint generated always as ( case band when 'routed' then 0 when 'high' then 1 else 2 end) stored,
  status text not null default 'pending',
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  decision_id text,
  asset_active boolean not null default true,
  risk_severity text,
  related_count smallint not null default 0,
  value integer not null generated always as (((band_points(band,
    confidence) + risk_points(risk_severity)) + related_points((related_count)::integer))) stored,
  asked_because text not null default 'inferred',
  earlier_decision_id text,
  changes jsonb not null default '[]'::jsonb,
  basis jsonb,
  primary key (tenant_id, candidate_id),
  constraint candidates_once unique nulls not distinct (tenant_id, asset_id, domain_id, information_type_id),
  constraint candidates_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint candidates_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id) references domains(tenant_id,
    domain_id),
  constraint candidates_tenant_id_inference_id_fkey foreign key (tenant_id, inference_id)
    references inferences(tenant_id, inference_id),
  constraint candidates_tenant_id_information_type_id_domain_id_fkey foreign key (tenant_id, information_type_id,
    domain_id) references information_types(tenant_id, information_type_id, domain_id),
  constraint candidates_asked_because check (asked_because in ('inferred', 'routed', 'corrected', 'returned',
    'put_off', 'correction_revised', 'content_changed')),
  constraint candidates_band check (band in ('review', 'high', 'routed')),
  constraint candidates_confidence check ((confidence >= (0)::double precision)
    and (confidence <= (1)::double precision)),
  constraint candidates_related check ((related_count >= 0) and (related_count <= 200)),
  constraint candidates_status check (status in ('pending', 'deferred', 'confirmed', 'rejected', 'routed',
    'withdrawn'))
) with (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000);
create index candidates_by_asset on candidates using hash (asset_id);
create index candidates_confirmed on candidates (tenant_id, domain_id, asset_id) where status = 'confirmed';
create index candidates_decision on candidates (tenant_id, decision_id) where decision_id is not null;
create index candidates_scopes on candidates (tenant_id, scope_id, domain_id, asset_id) where status in ('pending',
    'deferred', 'confirmed');
create index candidates_sent on candidates (tenant_id, domain_id, updated_at) where (status = 'pending')
    and (information_type_id is null) and asset_active;
create index candidates_tying on candidates (tenant_id, domain_id, asset_id) where status in ('pending', 'deferred',
    'confirmed');
create index candidates_value on candidates (tenant_id, domain_id, value desc, candidate_id)
    where (status = 'pending') and asset_active;
create index candidates_waiting on candidates (tenant_id, domain_id, created_at) where (status = 'pending')
    and asset_active;
call protect_tenant_table('candidates');
grant select, insert, update on candidates to svc_app;

create table decisions (
  tenant_id text not null,
  decision_id text not null,
  candidate_id text not null,
  asset_id text not null,
  inference_id text,
  principal_id text not null,
  decision text not null,
  corrected_information_type_id text,
  routed_domain_id text,
  note text,
  training_eligible boolean not null,
  revision integer not null,
  created_at timestamptz not null,
  content_version text,
  content_hash bytea,
  evidence_key text,
  evidence jsonb,
  shingles bytea,
  primary key (tenant_id, decision_id),
  constraint decisions_revision unique (tenant_id, candidate_id, revision),
  constraint decisions_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint decisions_tenant_id_candidate_id_fkey foreign key (tenant_id, candidate_id)
    references candidates(tenant_id, candidate_id),
  constraint decisions_tenant_id_corrected_information_type_id_fkey foreign key (tenant_id,
    corrected_information_type_id) references information_types(tenant_id, information_type_id),
  constraint decisions_tenant_id_inference_id_fkey foreign key (tenant_id, inference_id)
    references inferences(tenant_id, inference_id),
  constraint decisions_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id),
  constraint decisions_tenant_id_routed_domain_id_fkey foreign key (tenant_id, routed_domain_id)
    references domains(tenant_id, domain_id),
  constraint decisions_correction
    check ((decision = 'mine_different_type') = (corrected_information_type_id is not null)),
  constraint decisions_decision check (decision in ('mine', 'mine_different_type', 'another_domain',
    'mine_not_sensitive', 'not_a_match', 'need_more_evidence')),
  constraint decisions_routing check ((decision = 'another_domain') = (routed_domain_id is not null))
);
create index decisions_by_id on decisions using hash (decision_id);
create index decisions_by_principal on decisions (tenant_id, principal_id, created_at desc, decision_id desc);
create index decisions_corrected on decisions (tenant_id, asset_id, corrected_information_type_id)
    where corrected_information_type_id is not null;
create index decisions_recent on decisions (tenant_id, created_at desc, decision_id desc);
create index decisions_routed on decisions (tenant_id, asset_id, routed_domain_id) where routed_domain_id is not null;
call protect_tenant_table('decisions');
grant select, insert on decisions to svc_app;

create table assertions (
  tenant_id text not null,
  assertion_id text not null,
  asset_id text not null,
  kind text not null,
  statement text not null,
  domain_id text not null,
  information_type_id text,
  inference_id text,
  decision_id text,
  answers_assertion_id text,
  created_at timestamptz not null,
  primary key (tenant_id, assertion_id),
  constraint assertions_tenant_id_answers_assertion_id_fkey foreign key (tenant_id, answers_assertion_id)
    references assertions(tenant_id, assertion_id),
  constraint assertions_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id,
    asset_id),
  constraint assertions_tenant_id_decision_id_fkey foreign key (tenant_id, decision_id)
    references decisions(tenant_id, decision_id),
  constraint assertions_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id) references domains(tenant_id,
    domain_id),
  constraint assertions_tenant_id_inference_id_fkey foreign key (tenant_id, inference_id)
    references inferences(tenant_id, inference_id),
  constraint assertions_tenant_id_information_type_id_fkey foreign key (tenant_id, information_type_id)
    references information_types(tenant_id, information_type_id),
  constraint assertions_kind check (kind in ('inferred', 'human')),
  constraint assertions_source check (((kind = 'inferred') and (inference_id is not null) and (decision_id is null))
    or ((kind = 'human') and (decision_id is not null))),
  constraint assertions_statement check (statement in ('belongs_to', 'does_not_belong_to', 'belongs_not_sensitive',
    'needs_more_evidence'))
);
create index assertions_asset on assertions (tenant_id, asset_id, created_at, assertion_id);
create unique index assertions_inference on assertions (tenant_id, inference_id) where kind = 'inferred';
call protect_tenant_table('assertions');
grant select, insert on assertions to svc_app;

create table findings (
  tenant_id text not null,
  finding_id text not null,
  asset_id text not null,
  kind text not null,
  severity text not null,
  severity_rank smallint generated always as ( case severity when 'critical' then 3 when 'high' then 2 when 'medium' then 1 else 0 end) stored,
  status text not null,
  notes text not null,
  policy_version text not null,
  opened_at timestamptz not null,
  changed_at timestamptz not null,
  resolved_at timestamptz,
  revision integer not null default 0,
  acknowledged_by text,
  acknowledged_at timestamptz,
  acknowledge_note text,
  acknowledged_decision_id text,
  primary key (tenant_id, finding_id),
  constraint findings_once unique (tenant_id, asset_id, kind),
  constraint findings_acknowledged_by foreign key (tenant_id, acknowledged_by) references principals(tenant_id,
    principal_id),
  constraint findings_acknowledged_decision foreign key (tenant_id, acknowledged_decision_id)
    references decisions(tenant_id, decision_id),
  constraint findings_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id) references assets(tenant_id, asset_id),
  constraint findings_acknowledged_by_decision check ((acknowledged_decision_id is null)
    or (acknowledged_at is not null)),
  constraint findings_acknowledgement check (((status = 'acknowledged') = (acknowledged_at is not null))
    and ((acknowledged_at is null) = (acknowledged_by is null)) and ((acknowledge_note is null)
    or (acknowledged_at is not null))),
  constraint findings_kind check (kind in ('exposure', 'label', 'location', 'unmanaged_copy', 'stale_access',
    'no_owner')),
  constraint findings_resolution check ((status = 'resolved') = (resolved_at is not null)),
  constraint findings_severity check (severity in ('low', 'medium', 'high', 'critical')),
  constraint findings_status check (status in ('open', 'acknowledged', 'reopened', 'resolved'))
) with (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000);
create index findings_all on findings (tenant_id, severity_rank desc, opened_at desc, finding_id desc);
create index findings_by_asset on findings using hash (asset_id);
create index findings_no_owner on findings (tenant_id, asset_id) where (kind = 'no_owner') and (status <> 'resolved');
create index findings_status on findings (tenant_id, status, severity_rank desc, opened_at desc, finding_id desc);
create index findings_unresolved on findings (tenant_id, severity_rank desc, opened_at desc, finding_id desc)
    where status <> 'resolved';
call protect_tenant_table('findings');
grant select, insert, update on findings to svc_app;

create table actions (
  tenant_id text not null,
  action_id text not null,
  kind text not null,
  target_asset_id text not null,
  finding_id text,
  justification text not null,
  desired_label_guid text,
  task_title text,
  task_note text,
  status text not null,
  blocked_reason text,
  outcome_reason text,
  mode text,
  preview jsonb not null,
  source_version text,
  verification jsonb,
  requested_by text not null,
  decided_by text,
  correlation_id text,
  attempt smallint not null default 0,
  due_at timestamptz,
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  idempotency_key text,
  accepted_at timestamptz,
  monitor text,
  primary key (tenant_id, action_id),
  constraint actions_tenant_id_decided_by_fkey foreign key (tenant_id, decided_by) references principals(tenant_id,
    principal_id),
  constraint actions_tenant_id_finding_id_fkey foreign key (tenant_id, finding_id) references findings(tenant_id,
    finding_id),
  constraint actions_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint actions_tenant_id_requested_by_fkey foreign key (tenant_id, requested_by)
    references principals(tenant_id, principal_id),
  constraint actions_tenant_id_target_asset_id_fkey foreign key (tenant_id, target_asset_id)
    references assets(tenant_id, asset_id),
  constraint actions_accepted check ((accepted_at is null) or (status = 'executing')),
  constraint actions_blocked check ((status = 'blocked') = (blocked_reason is not null)),
  constraint actions_decided check ((status <> ALL (array['approved', 'executing', 'verified', 'failed', 'drifted',
    'rejected'])) or (decided_by is not null)),
  constraint actions_due check ((status in ('approved', 'executing')) = (due_at is not null)),
  constraint actions_idempotency_key check ((length(idempotency_key) >= 1) and (length(idempotency_key) <= 128)),
  constraint actions_justification check (length(justification) >= 10),
  constraint actions_kind check (kind in ('internal_task', 'sensitivity_label_set', 'sensitivity_label_remove')),
  constraint actions_label check ((kind = 'sensitivity_label_set') = (desired_label_guid is not null)),
  constraint actions_mode check (mode in ('mock', 'live')),
  constraint actions_monitor check ((monitor is null) or ((accepted_at is not null)
    and (char_length(monitor) <= 16384))),
  constraint actions_not_by_requester check (decided_by <> requested_by),
  constraint actions_status check (status in ('draft', 'blocked', 'awaiting_approval', 'approved', 'executing',
    'verified', 'failed', 'rejected', 'cancelled', 'drifted')),
  constraint actions_task check ((kind = 'internal_task') = (task_title is not null))
);
create unique index actions_asked_once on actions (tenant_id, requested_by, idempotency_key)
    where idempotency_key is not null;
create index actions_due on actions (due_at) where due_at is not null;
create index actions_open_of_asset on actions (tenant_id, target_asset_id) where status in ('draft', 'blocked',
    'awaiting_approval', 'approved', 'executing');
create index actions_pending on actions (tenant_id, created_at, action_id) where status = 'awaiting_approval';
create index actions_recent on actions (tenant_id, created_at desc, action_id desc);
call protect_tenant_table('actions');
create policy engine on actions for select to svc_engine using (true);
grant select, insert (action_id, blocked_reason, created_at, desired_label_guid, finding_id, idempotency_key,
    justification, kind, mode, preview, requested_by, source_version, status, target_asset_id, task_note, task_title,
    tenant_id, updated_at), update (accepted_at, attempt, blocked_reason, correlation_id, decided_by, due_at, mode,
    monitor, outcome_reason, preview, revision, source_version, status, updated_at,
    verification) on actions to svc_app;
grant select (action_id, due_at, tenant_id) on actions to svc_engine;

create table action_domains (
  tenant_id text not null,
  action_id text not null,
  domain_id text not null,
  primary key (tenant_id, action_id, domain_id),
  constraint action_domains_tenant_id_action_id_fkey foreign key (tenant_id, action_id) references actions(tenant_id,
    action_id),
  constraint action_domains_tenant_id_domain_id_fkey foreign key (tenant_id, domain_id) references domains(tenant_id,
    domain_id)
);
create index action_domains_domain on action_domains (tenant_id, domain_id);
call protect_tenant_table('action_domains');
grant select, insert on action_domains to svc_app;

create table action_transitions (
  tenant_id text not null,
  action_id text not null,
  revision integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  principal_id text,
  reason text,
  note text,
  created_at timestamptz not null,
  primary key (tenant_id, action_id, revision),
  constraint action_transitions_tenant_id_action_id_fkey foreign key (tenant_id, action_id)
    references actions(tenant_id, action_id),
  constraint action_transitions_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id)
);
call protect_tenant_table('action_transitions');
grant select, insert on action_transitions to svc_app;

create table tasks (
  tenant_id text not null,
  task_id text not null,
  action_id text not null,
  status text not null,
  updated_by text,
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, task_id),
  constraint tasks_once unique (tenant_id, action_id),
  constraint tasks_tenant_id_action_id_fkey foreign key (tenant_id, action_id) references actions(tenant_id,
    action_id),
  constraint tasks_tenant_id_updated_by_fkey foreign key (tenant_id, updated_by) references principals(tenant_id,
    principal_id),
  constraint tasks_status check (status in ('open', 'in_progress', 'done', 'cancelled'))
);
create index tasks_recent on tasks (tenant_id, created_at desc, task_id desc);
call protect_tenant_table('tasks');
grant select, insert, update (revision, status, updated_at, updated_by) on tasks to svc_app;

create table decision_excerpts (
  tenant_id text not null,
  decision_id text not null,
  excerpts jsonb not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, decision_id),
  constraint decision_excerpts_tenant_id_decision_id_fkey foreign key (tenant_id, decision_id)
    references decisions(tenant_id, decision_id)
);
create index decision_excerpts_oldest on decision_excerpts (tenant_id, created_at, decision_id);
call protect_tenant_table('decision_excerpts');
grant select, insert, delete on decision_excerpts to svc_app;

create table dataset_candidates (
  tenant_id text not null,
  dataset_candidate_id text not null,
  decision_id text not null,
  candidate_id text not null,
  asset_id text not null,
  information_type_id text not null,
  domain_id text not null,
  label text not null,
  confidence double precision,
  inference_id text,
  ensemble_version integer not null,
  status text not null default 'pending',
  curated_by text,
  curated_at timestamptz,
  revised_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, dataset_candidate_id),
  constraint dataset_candidates_tenant_id_asset_id_fkey foreign key (tenant_id, asset_id)
    references assets(tenant_id, asset_id),
  constraint dataset_candidates_tenant_id_candidate_id_fkey foreign key (tenant_id, candidate_id)
    references candidates(tenant_id, candidate_id),
  constraint dataset_candidates_tenant_id_curated_by_fkey foreign key (tenant_id, curated_by)
    references principals(tenant_id, principal_id),
  constraint dataset_candidates_tenant_id_decision_id_fkey foreign key (tenant_id, decision_id)
    references decisions(tenant_id, decision_id),
  constraint dataset_candidates_tenant_id_ensemble_version_fkey foreign key (tenant_id, ensemble_version)
    references ensembles(tenant_id, version),
  constraint dataset_candidates_tenant_id_inference_id_fkey foreign key (tenant_id, inference_id)
    references inferences(tenant_id, inference_id),
  constraint dataset_candidates_tenant_id_information_type_id_domain_id_fkey foreign key (tenant_id,
    information_type_id, domain_id) references information_types(tenant_id, information_type_id, domain_id),
  constraint dataset_candidates_confidence check ((confidence >= (0)::double precision)
    and (confidence <= (1)::double precision)),
  constraint dataset_candidates_curated check (((status <> 'pending') = (curated_by is not null))
    and ((curated_by is null) = (curated_at is null))),
  constraint dataset_candidates_inferred check ((confidence is null) = (inference_id is null)),
  constraint dataset_candidates_label check (label in ('positive_example', 'counterexample')),
  constraint dataset_candidates_status check (status in ('pending', 'approved', 'rejected'))
);
create index dataset_candidates_by_status on dataset_candidates (tenant_id, status, created_at desc,
    dataset_candidate_id desc);
create index dataset_candidates_recent on dataset_candidates (tenant_id, created_at desc, dataset_candidate_id desc);
create index dataset_candidates_revised on dataset_candidates (tenant_id, dataset_candidate_id)
    where revised_at is not null;
create unique index dataset_candidates_standing on dataset_candidates (tenant_id, asset_id, information_type_id)
    where revised_at is null;
call protect_tenant_table('dataset_candidates');
grant select, insert (asset_id, candidate_id, confidence, created_at, dataset_candidate_id, decision_id, domain_id,
    ensemble_version, inference_id, information_type_id, label, tenant_id), update (curated_at, curated_by,
    revised_at, status) on dataset_candidates to svc_app;

create table dataset_snapshot_items (
  tenant_id text not null,
  snapshot_id text not null,
  dataset_candidate_id text not null,
  cluster integer not null,
  side text not null,
  primary key (tenant_id, snapshot_id, dataset_candidate_id),
  constraint dataset_snapshot_items_tenant_id_dataset_candidate_id_fkey foreign key (tenant_id, dataset_candidate_id)
    references dataset_candidates(tenant_id, dataset_candidate_id),
  constraint dataset_snapshot_items_tenant_id_snapshot_id_fkey foreign key (tenant_id, snapshot_id)
    references dataset_snapshots(tenant_id, snapshot_id),
  constraint dataset_snapshot_items_side check (side in ('training', 'held_out'))
);
create index dataset_snapshot_items_of_candidate on dataset_snapshot_items (tenant_id, dataset_candidate_id);
call protect_tenant_table('dataset_snapshot_items');
grant select, insert on dataset_snapshot_items to svc_app;

create table custom_detectors (
  tenant_id text not null,
  detector_id text not null,
  version integer not null,
  enabled_version integer,
  dry_run_version integer,
  updated_at timestamptz not null,
  primary key (tenant_id, detector_id),
  constraint custom_detectors_tenant_id_fkey foreign key (tenant_id) references tenants(tenant_id),
  constraint custom_detectors_id_shape check (detector_id ~ '^custom_'),
  constraint custom_detectors_tried check ((enabled_version is null) or (enabled_version <= dry_run_version))
);
call protect_tenant_table('custom_detectors');
grant select, insert, update on custom_detectors to svc_app;

create table custom_detector_versions (
  tenant_id text not null,
  detector_id text not null,
  version integer not null,
  definition jsonb not null,
  principal_id text not null,
  created_at timestamptz not null,
  primary key (tenant_id, detector_id, version),
  constraint custom_detector_versions_tenant_id_detector_id_fkey foreign key (tenant_id, detector_id)
    references custom_detectors(tenant_id, detector_id),
  constraint custom_detector_versions_tenant_id_principal_id_fkey foreign key (tenant_id, principal_id)
    references principals(tenant_id, principal_id)
);
call protect_tenant_table('custom_detector_versions');
grant select, insert on custom_detector_versions to svc_app;

alter table ensembles add constraint ensembles_release foreign key (tenant_id, release_id)
    references model_releases(tenant_id, release_id);
alter table candidates add constraint candidates_decision foreign key (tenant_id, decision_id)
    references decisions(tenant_id, decision_id);
alter table candidates add constraint candidates_earlier_decision foreign key (tenant_id, earlier_decision_id)
    references decisions(tenant_id, decision_id);
alter table custom_detectors add constraint custom_detectors_enabled foreign key (tenant_id, detector_id,
    enabled_version) references custom_detector_versions(tenant_id, detector_id, version);
