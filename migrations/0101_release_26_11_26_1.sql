--! replaces 0099_representatives.sql of 26.11.26.1
-- The revision of a question covers all that an answer to it would state.

alter table domains add column words_revision integer not null default 0;
alter table information_types add column words_revision integer not null default 0;
alter table candidates
  -- Sum of the two above when its revision was raised last. Null for one that has not changed since this migration.
  add column words_revision integer,
  -- Its revision when its status or its decision changed last, and when its content was read again last.
  add column standing_revision integer,
  add column content_revision integer;

-- A correction also is a counterexample of the types that it replaces. This adds those of corrections that stand and are for
-- training; they wait for curation like others. It reads the labels of corrections alone and rewrites nothing. As the
-- application it sees one tenant at a time, so no table is opened to its owner and locked for that.

do $$
declare
  v_tenants text[];
  v_tenant text;
begin
  set local role svc_provision;
  v_tenants := array(select tenant_id from tenants);
  set local role svc_app;
  foreach v_tenant in array v_tenants loop
    perform set_config('svc.tenant_id', v_tenant, true);
    insert into dataset_candidates (tenant_id, dataset_candidate_id, decision_id, candidate_id, asset_id, information_type_id,
                                    domain_id, label, confidence, inference_id, ensemble_version, created_at)
    select c.tenant_id, 'dsc_' || replace(gen_random_uuid()::text, '-', ''), c.decision_id, k.candidate_id, c.asset_id,
           k.information_type_id, k.domain_id, 'counterexample', i.confidence, i.inference_id, c.ensemble_version, c.created_at
      from dataset_candidates c
      join decisions d on d.tenant_id = c.tenant_id and d.decision_id = c.decision_id
      join candidates k on k.tenant_id = c.tenant_id and k.asset_id = c.asset_id and k.decision_id = c.decision_id
      left join inferences i on i.tenant_id = k.tenant_id and i.inference_id = k.inference_id
     where c.tenant_id = v_tenant and c.revised_at is null and c.label = 'positive_example'
       and c.information_type_id = d.corrected_information_type_id
       and k.information_type_id <> d.corrected_information_type_id
    on conflict do nothing;
  end loop;
end
$$;
reset role;
select set_config('svc.tenant_id', '', true);

-- Files inherit access from their folders, and the feed of a source reports a shared folder without its files. The service
-- keeps what a folder was last seen to grant, and which folders have files whose permissions are to be read again.

alter table source_folders
  -- A digest of who had access when the folder was last read; null until then.
  add column permissions_key text,
  -- How far it is shared, as a listing reported it; null until then.
  add column sharing_mark text,
  -- `changed`: the folders in it are to be compared. `in_changed`: it is to be compared. `reading`: the permissions of the
  -- files in it are to be read again. Null if nothing is to be done.
  add column sharing_state text;
alter table source_folders add constraint source_folders_sharing_state
  check (sharing_state in ('changed', 'in_changed', 'reading'));
create index source_folders_sharing on source_folders (tenant_id, scope_id, sharing_state, external_id)
  where sharing_state is not null;

-- How far an item is shared, as a listing reported it; null until then.
alter table assets add column sharing_mark text;

-- Labels that other organizations gave to an asset, as [{ tenantId, labelGuid }]. Null if nobody has looked for them since
-- the releases that took the first label for ours: such a label is read again.
alter table assets add column foreign_labels jsonb;

-- Subscriptions that are registered again.

-- Registrations that failed since the last one that did not.
alter table change_subscriptions add column failures integer not null default 0
  constraint change_subscriptions_failures check (failures >= 0);
grant update (failures) on change_subscriptions to svc_app;

-- Scopes that their source refuses, and the sites that scopes are in.

-- What the source or the configuration calls the site of a scope, in lower case. Null if the scope is in none, or was
-- registered by a former release.
alter table scopes add column site_ids text[];

-- Set from the first refusal until the source answers again.
alter table scopes add column inaccessible_reason text;
alter table scopes add column inaccessible_since timestamptz;
-- Since when the source has said without a break that the scope does not exist.
alter table scopes add column gone_since timestamptz;
-- The last refusal.
alter table scopes add column refused_at timestamptz;
-- The unit that met the first refusal. It alone leaves a dead letter.
alter table scopes add column refused_unit_id bigint;
-- When the assets of the scope were ended because it was gone. Stays when it comes back.
alter table scopes add column ended_at timestamptz;
alter table scopes add constraint scopes_inaccessible check (
  inaccessible_reason in ('not_found', 'malformed_id', 'denied', 'locked', 'unreachable')
    and inaccessible_since is not null and refused_at is not null
    and (gone_since is null or inaccessible_reason in ('not_found', 'malformed_id'))
  or inaccessible_reason is null and inaccessible_since is null and gone_since is null and refused_at is null);
create index scopes_inaccessible on scopes (tenant_id, scope_id) where inaccessible_since is not null;

-- How many pages and files inside an asset were not read, and the list of assets by content state. A small part of the assets is in the index.

alter table assets add column unread_parts integer;
alter table asset_versions add column unread_parts integer;

create index assets_changed_content on assets (tenant_id, content_state, changed_at desc, asset_id desc)
  where status = 'active' and content_state <> 'available';

-- The newest refusals. Governance reads them for the assets that nobody has taken so far.
create index candidates_refused on candidates (tenant_id, updated_at desc, asset_id)
  where status = 'rejected' and asset_active;

-- Whether a promotion was of a release that was worse than what was in force, which needs a reason.
alter table release_transitions
  add column is_worse boolean,
  add constraint release_transitions_reasoned check (
    is_worse is null or trigger = 'promote' and (not is_worse or note <> ''));

-- The newest answers of a domain to questions of the model. The queue reads them to say what to expect.
create index candidates_answered on candidates (tenant_id, domain_id, decision_id desc)
  include (information_type_id, confidence, status)
  where decision_id is not null and inference_id is not null and status in ('confirmed', 'rejected', 'routed')
    and asked_because in ('inferred', 'put_off', 'content_changed', 'correction_revised');

-- Whether a question represents a group of assets about which nobody has been asked.
alter table candidates add column representative boolean not null default false;

-- The same by how likely the question is: many assets that are like nothing teach little. In full from a confidence of 0.8 on,
-- if a person asks, and of the representative of a group about which nobody has been asked; a tenth at 0.4 and below; linear
-- in between.
create function related_points(p_representative boolean, p_band text, p_confidence double precision, p_count integer)
 returns integer
 language sql
 immutable
return round(200 * ln(1::double precision + p_count) / ln(201::double precision)
             * case when p_band = 'routed' or p_representative then 1
               else least(1, greatest(0.1, 0.1 + 0.9 * (coalesce(p_confidence, 0) - 0.4) / 0.4)) end)::integer;

-- What an answer to a question is worth. An index has its results: a change of this function or of its parts needs a new
-- index.
create function question_value(
  p_representative boolean, p_band text, p_confidence double precision, p_severity text, p_count integer)
 returns integer
 language sql
 immutable
return band_points(p_band, p_confidence) + risk_points(p_severity) + related_points(p_representative, p_band, p_confidence, p_count);

-- Like assets count in the queue by how likely the question is. The value is computed by the index, so no row is written
-- again.
create index candidates_by_value on candidates
  (tenant_id, domain_id, question_value(representative, band, confidence, risk_severity, related_count::integer) desc, candidate_id)
  where status = 'pending' and asset_active;

-- Few: at most 20 of each domain.
create index candidates_representatives on candidates (tenant_id, domain_id)
  where status = 'pending' and representative;

-- How far the sweep has looked through the assets of a tenant. It begins again at the end.
create table representative_walks (
  tenant_id text primary key,
  after_asset_id text not null
);
call protect_tenant_table('representative_walks');
grant select, insert, update on representative_walks to svc_app;
