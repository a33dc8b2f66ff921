-- Assets and their versions, features, inferences, assertions, candidates, decisions.

-- Search for a part of a name or path; both are trusted, so the owner of the database may create them.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table assets (
  tenant_id text not null,
  asset_id text not null constraint assets_id_shape check (asset_id ~ '^ast_'),
  scope_id text not null,
  external_id text not null,
  status text not null default 'active' constraint assets_status check (status in ('active', 'deleted')),
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
  content_state text not null default 'not_fetched' constraint assets_content_state
    check (content_state in ('not_fetched', 'available', 'partial', 'unsupported', 'failed', 'inaccessible')),
  content_reason text,
  format text,
  -- SHA-256 of the bytes as read: byte-identical copies share it.
  content_hash bytea,
  label_state text not null default 'unknown' constraint assets_label_state
    check (label_state in ('labeled', 'unlabeled', 'unknown')),
  label_guid text,
  label_name text,
  label_observed_at timestamptz,
  grants jsonb not null default '[]',
  permissions_complete boolean not null default false,
  permissions_observed_at timestamptz,
  -- Cache key per stage: what the last outcome of that stage depended on.
  stage_keys jsonb not null default '{}',
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- The campaign whose walk saw it last; a completed walk that did not see it means it is gone.
  seen_campaign_id text,
  primary key (tenant_id, asset_id),
  constraint assets_external unique (tenant_id, scope_id, external_id),
  foreign key (tenant_id, scope_id) references scopes
);
create index assets_recent on assets (tenant_id, last_seen_at desc, asset_id desc) where status = 'active';
create index assets_copies on assets (tenant_id, content_hash) where content_hash is not null and status = 'active';
-- What a listing announced and no unit has looked at yet: a delta looks for it first.
create index assets_unobserved on assets (tenant_id, scope_id, asset_id)
  where status = 'active' and source_version is distinct from (stage_keys ->> 'observe');
-- The tenant is in both, so that what others hold costs a search nothing.
create index assets_words on assets
  using gin (tenant_id, lower(name || e'\n' || path || e'\n' || coalesce(format, '')) gin_trgm_ops) where status = 'active';
create index assets_name_start on assets (tenant_id, lower(left(name, 32)) text_pattern_ops) where status = 'active';

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
  foreign key (tenant_id, asset_id) references assets
);

create table asset_features (
  tenant_id text not null,
  asset_id text not null,
  -- What the features were derived from: content version, extractor, detectors, config version.
  features_key text not null,
  features jsonb not null,
  signal_kinds text[] not null,
  -- Bounded and redacted: [{ "detectorId", "text" }]; empty under the profile `metadata_only`.
  excerpts jsonb not null default '[]',
  computed_at timestamptz not null,
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets
);
create index asset_features_signals on asset_features using gin (signal_kinds);

-- What the model said. Append-only: the runtime may insert and read, nothing else.
create table inferences (
  tenant_id text not null,
  inference_id text not null,
  asset_id text not null,
  information_type_id text not null,
  domain_id text not null,
  confidence double precision not null constraint inferences_confidence check (confidence between 0 and 1),
  contributions jsonb not null,
  ensemble_version integer not null,
  -- What it was computed from; the same input twice is the same inference.
  inference_key text not null,
  created_at timestamptz not null,
  primary key (tenant_id, inference_id),
  constraint inferences_once unique (tenant_id, asset_id, information_type_id, inference_key),
  foreign key (tenant_id, asset_id) references assets,
  foreign key (tenant_id, information_type_id, domain_id)
    references information_types (tenant_id, information_type_id, domain_id),
  foreign key (tenant_id, ensemble_version) references ensembles
);

create table candidates (
  tenant_id text not null,
  candidate_id text not null,
  asset_id text not null,
  -- That of the asset, which never changes: a trigger sets it.
  scope_id text not null,
  domain_id text not null,
  -- Null when an owner routed the asset here without naming a type.
  information_type_id text,
  -- The newest inference behind it; null when it was routed by a person.
  inference_id text,
  confidence double precision constraint candidates_confidence check (confidence between 0 and 1),
  band text not null constraint candidates_band check (band in ('review', 'high', 'routed')),
  -- The queue's order: what a colleague sent first, then what the model is surest of.
  band_rank smallint generated always as (case band when 'routed' then 0 when 'high' then 1 else 2 end) stored,
  status text not null default 'pending' constraint candidates_status
    check (status in ('pending', 'deferred', 'confirmed', 'rejected', 'routed', 'withdrawn')),
  -- Raised by every change, so that whoever decides on what has changed meanwhile is told.
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, candidate_id),
  constraint candidates_once unique nulls not distinct (tenant_id, asset_id, domain_id, information_type_id),
  foreign key (tenant_id, asset_id) references assets,
  foreign key (tenant_id, domain_id) references domains,
  foreign key (tenant_id, information_type_id, domain_id)
    references information_types (tenant_id, information_type_id, domain_id),
  foreign key (tenant_id, inference_id) references inferences
);
create index candidates_queue on candidates
  (tenant_id, domain_id, band_rank, confidence desc nulls last, candidate_id) where status = 'pending';

create function set_candidate_scope() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  select a.scope_id into new.scope_id from public.assets a
   where a.tenant_id = new.tenant_id and a.asset_id = new.asset_id;
  return new;
end
$$;
create trigger candidates_scope before insert on candidates for each row execute function set_candidate_scope();

-- What the owner said. Append-only; a revision is a further row.
create table decisions (
  tenant_id text not null,
  decision_id text not null,
  candidate_id text not null,
  asset_id text not null,
  inference_id text,
  principal_id text not null,
  decision text not null constraint decisions_decision check (decision in (
    'mine', 'mine_different_type', 'another_domain', 'mine_not_sensitive', 'not_a_match', 'need_more_evidence')),
  corrected_information_type_id text,
  routed_domain_id text,
  note text,
  training_eligible boolean not null,
  revision integer not null,
  created_at timestamptz not null,
  primary key (tenant_id, decision_id),
  constraint decisions_revision unique (tenant_id, candidate_id, revision),
  constraint decisions_correction check ((decision = 'mine_different_type') = (corrected_information_type_id is not null)),
  constraint decisions_routing check ((decision = 'another_domain') = (routed_domain_id is not null)),
  foreign key (tenant_id, candidate_id) references candidates,
  foreign key (tenant_id, asset_id) references assets,
  foreign key (tenant_id, inference_id) references inferences,
  foreign key (tenant_id, principal_id) references principals,
  foreign key (tenant_id, corrected_information_type_id) references information_types,
  foreign key (tenant_id, routed_domain_id) references domains
);

-- The provenance chain of an asset: each statement, who or what made it, and what it answers. Append-only.
create table assertions (
  tenant_id text not null,
  assertion_id text not null,
  asset_id text not null,
  kind text not null constraint assertions_kind check (kind in ('inferred', 'human')),
  statement text not null constraint assertions_statement check (statement in (
    'belongs_to', 'does_not_belong_to', 'belongs_not_sensitive', 'needs_more_evidence')),
  domain_id text not null,
  information_type_id text,
  inference_id text,
  decision_id text,
  -- The assertion that this one answers.
  answers_assertion_id text,
  created_at timestamptz not null,
  primary key (tenant_id, assertion_id),
  constraint assertions_source check (
    (kind = 'inferred' and inference_id is not null and decision_id is null)
    or (kind = 'human' and decision_id is not null)),
  foreign key (tenant_id, asset_id) references assets,
  foreign key (tenant_id, domain_id) references domains,
  foreign key (tenant_id, information_type_id) references information_types,
  foreign key (tenant_id, inference_id) references inferences,
  foreign key (tenant_id, decision_id) references decisions,
  foreign key (tenant_id, answers_assertion_id) references assertions
);
create index assertions_asset on assertions (tenant_id, asset_id, created_at, assertion_id);
create unique index assertions_inference on assertions (tenant_id, inference_id) where kind = 'inferred';

call protect_tenant_table('assets');
call protect_tenant_table('asset_versions');
call protect_tenant_table('asset_features');
call protect_tenant_table('inferences');
call protect_tenant_table('candidates');
call protect_tenant_table('decisions');
call protect_tenant_table('assertions');

grant select, insert, update on assets, asset_features, candidates to svc_app;
grant select, insert on asset_versions, inferences, decisions, assertions to svc_app;

-- Ids of at most p_most active assets of the transaction's tenant, in no order. p_term is in lower case. With p_anywhere
-- it may stand anywhere in name, path or format, else the name begins with it; each has its index. Row-level security
-- keeps a pattern from an index, since an operator that may leak would see rows before the policy: here the tenant is
-- part of the index condition itself. One plan for all terms, since what is rare must never be sought by a walk.
create policy search_read on assets for select to svc_search using (true);
grant select (tenant_id, asset_id, status, name, path, format) on assets to svc_search;
create function assets_matching(p_term text, p_anywhere boolean, p_most integer) returns setof text
language plpgsql stable security definer
set search_path = pg_catalog, public set plan_cache_mode = force_generic_plan as $$
declare
  v_pattern text := replace(replace(replace(p_term, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_tenant text := current_setting('svc.tenant_id', true);
begin
  if p_anywhere then
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active'
        and lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')) like '%' || v_pattern
      limit p_most;
  else
    return query select a.asset_id from public.assets a
      where a.tenant_id = v_tenant and a.status = 'active' and lower(a.name) like v_pattern
        and lower(left(a.name, 32)) ~>=~ left(p_term, 32)
        and lower(left(a.name, 32)) ~<~ (left(p_term, 32) || U&'\+10FFFF')
      limit p_most;
  end if;
end
$$;
revoke all on function assets_matching(text, boolean, integer) from public;
grant execute on function assets_matching(text, boolean, integer) to svc_app;
grant create on schema public to svc_search;
alter function assets_matching(text, boolean, integer) owner to svc_search;
revoke create on schema public from svc_search;
