-- Releases of the thresholds: proposed, evaluated, approved by somebody else, promoted, rolled back.

create table model_releases (
  tenant_id text not null,
  release_id text not null,
  status text not null default 'proposed' constraint model_releases_status check (status in (
    'proposed', 'evaluated', 'approved', 'rejected', 'promoted', 'superseded', 'rolled_back')),
  -- The thresholds and boosts that it changes, by name.
  config_patch jsonb not null,
  -- All thresholds and boosts, as the patch makes them of the version that it was compared with last.
  thresholds jsonb not null,
  compared_version integer not null,
  snapshot_id text,
  rationale text not null,
  proposed_by text not null,
  -- What was counted of each information type: { "tallies", "queueAssets" }.
  evaluation jsonb,
  evaluated_at timestamptz,
  -- The person who approved or rejected it as it stands.
  decided_by text,
  -- The version that its promotion made, the one before, and the release that was in force before.
  promoted_version integer,
  former_version integer,
  former_release_id text,
  -- The newest rescore that it caused.
  campaign_id text,
  -- Raised by every transition.
  revision integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, release_id),
  foreign key (tenant_id, compared_version) references ensembles,
  foreign key (tenant_id, snapshot_id) references dataset_snapshots,
  foreign key (tenant_id, proposed_by) references principals,
  foreign key (tenant_id, decided_by) references principals,
  foreign key (tenant_id, promoted_version) references ensembles,
  foreign key (tenant_id, former_version) references ensembles,
  foreign key (tenant_id, former_release_id) references model_releases,
  constraint model_releases_two_people check (decided_by <> proposed_by),
  constraint model_releases_decided check (status in ('proposed', 'evaluated') = (decided_by is null)),
  constraint model_releases_evaluated check (
    (evaluation is null) = (evaluated_at is null) and (evaluation is not null or status in ('proposed', 'rejected'))),
  constraint model_releases_promoted check (
    (status in ('promoted', 'superseded', 'rolled_back')) = (promoted_version is not null)
    and (promoted_version is null) = (former_version is null))
);
-- One release at most is in force.
create unique index model_releases_in_force on model_releases (tenant_id) where status = 'promoted';
create index model_releases_recent on model_releases (tenant_id, created_at desc, release_id desc);

-- Every transition of a release, in order. Append-only.
create table release_transitions (
  tenant_id text not null,
  release_id text not null,
  -- The release's revision after it.
  revision integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  principal_id text not null,
  note text not null,
  -- The version of the thresholds that it put in force.
  ensemble_version integer,
  campaign_id text,
  created_at timestamptz not null,
  primary key (tenant_id, release_id, revision),
  foreign key (tenant_id, release_id) references model_releases,
  foreign key (tenant_id, principal_id) references principals,
  foreign key (tenant_id, ensemble_version) references ensembles
);

-- The release whose promotion or rollback made a version. Null: the first version, or that of a rescore.
alter table ensembles add column release_id text;
alter table ensembles add constraint ensembles_release
  foreign key (tenant_id, release_id) references model_releases not valid;
alter table ensembles validate constraint ensembles_release;
alter table ensembles add constraint ensembles_bands check (review_low_threshold <= review_high_threshold) not valid;
alter table ensembles validate constraint ensembles_bands;

call protect_tenant_table('model_releases');
call protect_tenant_table('release_transitions');

grant select, insert (tenant_id, release_id, config_patch, thresholds, compared_version, snapshot_id, rationale, proposed_by,
                      created_at, updated_at),
      update (status, thresholds, compared_version, evaluation, evaluated_at, decided_by, promoted_version, former_version,
              former_release_id, campaign_id, revision, updated_at) on model_releases to svc_app;
grant select, insert on release_transitions to svc_app;

--! include functions/releases.sql
create or replace trigger model_releases_transition after update on model_releases
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'approved>evaluated approved>promoted approved>rejected evaluated>approved evaluated>rejected promoted>rolled_back promoted>superseded proposed>evaluated proposed>rejected superseded>promoted');

create or replace trigger release_transitions_append_only before delete or update or truncate on release_transitions
  for each statement execute function refuse_change();
--! end functions/releases.sql
