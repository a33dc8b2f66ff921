-- Functions that act with the rights of another role find no name in the temporary schema of their caller, and each name
-- of a type or function has its schema. Search of an earlier release goes, which no release in use calls. Additive.
set local role svc_search;
drop function find_assets(jsonb, text[], timestamptz, text, integer);
drop function newest_found(jsonb, jsonb, text[], timestamptz, text, integer);
reset role;
revoke select on search_segments, search_postings from svc_search;

--! include functions/audit.sql
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
--! end functions/auth.sql
--! include functions/search.sql
-- Begins the words and marks of a tenant, so that those of others cost its searches nothing.
create or replace function search_tag(p_tenant text)
 returns text
 language sql
 immutable parallel safe
 set search_path to 'pg_catalog'
as $$
  select left(encode(sha256(convert_to(p_tenant, 'UTF8')), 'hex'), 4)
$$;

-- The distinct words of a name or path, as `words` of core/kernel/words.ts splits and folds it: lower case, without marks,
-- `InvoiceRegister` as two. First the marks (M) and then the separators (neither L, N nor M) are given by code point, since
-- what the locale of the database takes for a letter differs. They are those of Unicode 17. A range goes on over what cannot
-- stand there: what is not assigned, what NFKD replaces and, in a range of separators, marks.
create or replace function search_words(p_text text)
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

-- The row by which search finds each asset, from the asset, its placements and its features. Words and marks begin with
-- the tag of the tenant, since the index holds those of all tenants.
create or replace function index_assets(p_tenant text, p_assets text[])
 returns void
 language plpgsql
 set plan_cache_mode to 'force_generic_plan'
 set enable_seqscan to 'off'
 set enable_hashjoin to 'off'
 set enable_mergejoin to 'off'
as $$
declare
  v_tag text := public.search_tag(p_tenant);
begin
  insert into public.asset_search as s (tenant_id, asset_id, active, changed_at, marks, words)
  select a.tenant_id, a.asset_id, a.status = 'active', a.changed_at,
         array(
           select distinct v_tag || mark from (
             select unnest(array[p.domain_id, p.information_type_id]) as mark from public.asset_placements p
              where p.tenant_id = a.tenant_id and p.asset_id = a.asset_id
             union all
             select unnest(array['label:' || a.label_state, 'risk:' || a.risk_severity])) marks
            where mark is not null order by 1),
         array_to_tsvector(
           array(select v_tag || word from unnest(public.search_words(concat_ws(' ', a.name, a.path, a.format))) as word)
           || coalesce((
                select search_lexemes from public.asset_features f where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
              ), array(
                select lexeme from public.asset_search k cross join unnest(k.words)
                 where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and left(lexeme, 1) in ('#', '~'))))
    from unnest(p_assets) as due (asset_id)
   cross join lateral (
     select * from public.assets where tenant_id = p_tenant and asset_id = due.asset_id offset 0) a
  on conflict (tenant_id, asset_id) do update
    set active = excluded.active, changed_at = excluded.changed_at, marks = excluded.marks, words = excluded.words
  where (s.active, s.changed_at, s.marks, s.words)
        is distinct from (excluded.active, excluded.changed_at, excluded.marks, excluded.words);
end
$$;

grant create on schema public to svc_search;
set local role svc_search;
-- The newest assets of the tenant that hold what one of the ways asks for, and all the marks of p_all. A way is a query of
-- words, or '' for none, and marks one of which is needed, or null. Row-level security keeps `@@` from using an index: the
-- function checks the tenant itself, and its caller decides what the reader may see.
create or replace function assets_having(p_ways jsonb, p_all text[], p_after timestamp with time zone, p_after_id text, p_most integer)
 returns setof text
 language plpgsql
 stable security definer
 set search_path to 'pg_catalog', 'pg_temp'
 set jit to 'off'
 set enable_seqscan to 'off'
 set work_mem to '32MB'
as $$
declare
  v_way pg_catalog.record;
  v_found pg_catalog.text[] := '{}';
  v_some pg_catalog.text[];
begin
  for v_way in select * from pg_catalog.jsonb_to_recordset(p_ways) as way (query pg_catalog.text, "any" pg_catalog.text[]) loop
    -- By the index of words and marks and no other, so without the tenant. An empty condition would read the whole index.
    execute pg_catalog.format(
      'select pg_catalog.array_agg(asset_id) from (
         select asset_id from (select * from public.asset_search where active %s %s %s offset 0) held
          where tenant_id = $4 and ($5 is null or (changed_at, asset_id) < ($5, $6))
          order by changed_at desc, asset_id desc limit $7) newest',
      case when v_way.query <> '' then 'and words @@ $1::pg_catalog.tsquery' end,
      case when v_way."any" is not null then 'and marks && $2' end,
      case when p_all <> '{}' then 'and marks @> $3' end)
      into v_some
      using v_way.query, v_way."any", p_all, pg_catalog.current_setting('svc.tenant_id', true), p_after, p_after_id, p_most;
    v_found := v_found || v_some;
  end loop;
  return query
  select s.asset_id from public.asset_search s
   where s.tenant_id = pg_catalog.current_setting('svc.tenant_id', true) and s.asset_id = any(v_found)
   order by s.changed_at desc, s.asset_id desc limit p_most;
end
$$;
revoke all on function assets_having(jsonb, text[], timestamptz, text, integer) from public;
grant execute on function assets_having(jsonb, text[], timestamptz, text, integer) to svc_app;
reset role;
revoke create on schema public from svc_search;

grant create on schema public to svc_search;
set local role svc_search;
create or replace function assets_matching(p_term text, p_anywhere boolean, p_most integer)
 returns setof text
 language plpgsql
 stable security definer
 set search_path to 'pg_catalog', 'pg_temp'
 set plan_cache_mode to 'force_generic_plan'
as $$
declare
  v_pattern pg_catalog.text := pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(p_term, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_tenant pg_catalog.text := pg_catalog.current_setting('svc.tenant_id', true);
begin
  if p_anywhere then
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active'
        and pg_catalog.lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')) like '%' || v_pattern
      limit p_most;
  else
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active' and pg_catalog.lower(a.name) like v_pattern
        and pg_catalog.lower(pg_catalog.left(a.name, 32)) ~>=~ pg_catalog.left(p_term, 32)
        and pg_catalog.lower(pg_catalog.left(a.name, 32)) ~<~ (pg_catalog.left(p_term, 32) || U&'\+10FFFF')
      limit p_most;
  end if;
end
$$;
revoke all on function assets_matching(text, boolean, integer) from public;
grant execute on function assets_matching(text, boolean, integer) to svc_app;
reset role;
revoke create on schema public from svc_search;

-- Writes the rows of a tenant again, after its assets were written without the triggers.
create or replace function rebuild_search(p_tenant text, p_each integer default 4096)
 returns void
 language plpgsql
as $$
declare
  v_assets text[];
  v_after text := '';
begin
  loop
    v_assets := array(select asset_id from public.assets where tenant_id = p_tenant and asset_id > v_after
                       order by asset_id limit p_each);
    exit when v_assets = '{}';
    perform public.index_assets(p_tenant, v_assets);
    v_after := v_assets[cardinality(v_assets)];
  end loop;
end
$$;
revoke all on function rebuild_search(text, integer) from public;
--! end functions/search.sql
--! include functions/search_segments.sql
-- Search of the release before (ADR 14). Nothing of this release calls it; a later migration drops it.

-- Nothing is sealed any more. A worker of the release before asks for it, and is told that there is no more.
create or replace function seal_search(p_tenant text, p_most integer default 16384, p_size integer default 16384, p_lexemes bigint default 500000, out sealed integer, out is_cut boolean)
 returns record
 language sql
as $$
  select 0, false
$$;

create or replace function search_unsealed()
 returns trigger
 language plpgsql
as $$
begin
  new.segment := null;
  new.slot := null;
  return new;
end
$$;

create or replace trigger asset_search_unsealed before update on asset_search
  for each row when (new.segment = old.segment and new.slot = old.slot
                     and (new.active, new.changed_at, new.marks, new.words)
                         is distinct from (old.active, old.changed_at, old.marks, old.words))
  execute function search_unsealed();

-- The bits of segments whose assets have their slots.
create or replace function write_search_postings(p_tenant text, p_segments integer[])
 returns void
 language sql
 set work_mem to '64MB'
 set jit to 'off'
as $$
  insert into public.search_postings (tenant_id, segment, lexeme, slots)
  select p_tenant, segment, lexeme, bit_or(set_bit(b'0'::bit(16384), slot, 1))
    from (
      select s.segment, s.slot, lexeme from public.asset_search s cross join unnest(s.words)
       where s.tenant_id = p_tenant and s.segment = any(p_segments) and left(lexeme, 1) <> '@'
      union all
      select s.segment, s.slot, '=' || mark from public.asset_search s cross join unnest(s.marks) as mark
       where s.tenant_id = p_tenant and s.segment = any(p_segments) and mark not like '____era:%'
    ) having_some
   group by segment, lexeme order by segment, lexeme
$$;
--! end functions/search_segments.sql
