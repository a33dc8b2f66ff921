-- Labels out of owners' decisions, curated by people, and snapshots of them. New tables only.

-- An example or a counterexample of an information type. The label itself never changes.
create table dataset_candidates (
  tenant_id text not null,
  dataset_candidate_id text not null,
  decision_id text not null,
  -- The question that the decision answered.
  candidate_id text not null,
  asset_id text not null,
  information_type_id text not null,
  domain_id text not null,
  label text not null constraint dataset_candidates_label check (label in ('positive_example', 'counterexample')),
  -- Of the model in the type when the owner decided. Null if the model did not name the type.
  confidence double precision constraint dataset_candidates_confidence check (confidence between 0 and 1),
  inference_id text,
  -- The version of the thresholds at that time.
  ensemble_version integer not null,
  status text not null default 'pending' constraint dataset_candidates_status
    check (status in ('pending', 'approved', 'rejected')),
  curated_by text,
  curated_at timestamptz,
  -- When a later decision took the place of this one.
  revised_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, dataset_candidate_id),
  foreign key (tenant_id, decision_id) references decisions,
  foreign key (tenant_id, candidate_id) references candidates,
  foreign key (tenant_id, asset_id) references assets,
  foreign key (tenant_id, information_type_id, domain_id)
    references information_types (tenant_id, information_type_id, domain_id),
  foreign key (tenant_id, inference_id) references inferences,
  foreign key (tenant_id, ensemble_version) references ensembles,
  foreign key (tenant_id, curated_by) references principals,
  constraint dataset_candidates_inferred check ((confidence is null) = (inference_id is null)),
  constraint dataset_candidates_curated check (
    (status <> 'pending') = (curated_by is not null) and (curated_by is null) = (curated_at is null))
);
-- One label of an asset and a type stands at a time.
create unique index dataset_candidates_standing on dataset_candidates (tenant_id, asset_id, information_type_id)
  where revised_at is null;
create index dataset_candidates_recent on dataset_candidates (tenant_id, created_at desc, dataset_candidate_id desc);
create index dataset_candidates_by_status on dataset_candidates
  (tenant_id, status, created_at desc, dataset_candidate_id desc);
create index dataset_candidates_revised on dataset_candidates (tenant_id, dataset_candidate_id)
  where revised_at is not null;

create table dataset_snapshots (
  tenant_id text not null,
  snapshot_id text not null,
  name text not null constraint dataset_snapshots_name check (name <> ''),
  description text not null,
  consent_scope text not null constraint dataset_snapshots_consent
    check (consent_scope in ('tenant_internal', 'vendor_shareable')),
  eval_fraction double precision not null constraint dataset_snapshots_fraction check (eval_fraction between 0.1 and 0.9),
  -- With the items and their clusters, it determines the sides.
  seed text not null constraint dataset_snapshots_seed check (seed ~ '^[0-9a-f]{32}$'),
  -- SHA-256 of the canonical JSON of the seed, the fraction, the consent and the items.
  digest text not null constraint dataset_snapshots_digest check (digest ~ '^[0-9a-f]{64}$'),
  clusters integer not null,
  training_positives integer not null,
  training_counterexamples integer not null,
  held_out_positives integer not null,
  held_out_counterexamples integer not null,
  -- Approved labels beyond the limit of a snapshot.
  omitted integer not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (tenant_id, snapshot_id),
  foreign key (tenant_id, created_by) references principals,
  constraint dataset_snapshots_sides check (
    training_positives + training_counterexamples > 0 and held_out_positives + held_out_counterexamples > 0)
);
create index dataset_snapshots_recent on dataset_snapshots (tenant_id, created_at desc, snapshot_id desc);

create table dataset_snapshot_items (
  tenant_id text not null,
  snapshot_id text not null,
  dataset_candidate_id text not null,
  -- Labels of one asset, of byte-identical copies and of near-duplicates are in one cluster.
  cluster integer not null,
  side text not null constraint dataset_snapshot_items_side check (side in ('training', 'held_out')),
  primary key (tenant_id, snapshot_id, dataset_candidate_id),
  foreign key (tenant_id, snapshot_id) references dataset_snapshots,
  foreign key (tenant_id, dataset_candidate_id) references dataset_candidates
);
create index dataset_snapshot_items_of_candidate on dataset_snapshot_items (tenant_id, dataset_candidate_id);

call protect_tenant_table('dataset_candidates');
call protect_tenant_table('dataset_snapshots');
call protect_tenant_table('dataset_snapshot_items');

grant select, insert (tenant_id, dataset_candidate_id, decision_id, candidate_id, asset_id, information_type_id, domain_id,
                      label, confidence, inference_id, ensemble_version, created_at),
      update (status, curated_by, curated_at, revised_at) on dataset_candidates to svc_app;
grant select, insert on dataset_snapshots, dataset_snapshot_items to svc_app;

--! include functions/datasets.sql
create or replace trigger dataset_candidates_transition after update on dataset_candidates
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'pending>approved pending>rejected');

create or replace trigger dataset_snapshots_append_only before delete or update or truncate on dataset_snapshots
  for each statement execute function refuse_change();
create or replace trigger dataset_snapshot_items_append_only before delete or update or truncate on dataset_snapshot_items
  for each statement execute function refuse_change();

-- A snapshot is stored with all its items by one statement, so nothing can be added to it later.
create or replace function refuse_incomplete_snapshot()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  if exists (
    select from public.dataset_snapshots s
     where (s.tenant_id, s.snapshot_id) in (select a.tenant_id, a.snapshot_id from added a)
       and s.training_positives + s.training_counterexamples + s.held_out_positives + s.held_out_counterexamples
           <> (select count(*) from public.dataset_snapshot_items i
                where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id)) then
    raise exception 'the items of a snapshot are fixed' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;

create or replace trigger dataset_snapshot_items_complete after insert on dataset_snapshot_items
  referencing new table as added for each statement execute function refuse_incomplete_snapshot();
--! end functions/datasets.sql
