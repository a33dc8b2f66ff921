-- The tables of states in TypeScript (`*-states.ts`) say which state may follow which. The database refuses any other
-- change by the service. The owner of the schema may make any change, for repairs. The arguments of each trigger are the
-- column and its transitions; a test compares them with the tables. Defaults and checks say how a state begins.
create or replace function refuse_transition()
 returns trigger
 language plpgsql
as $$
declare
  v_from text := to_jsonb(old) ->> tg_argv[0];
  v_to text := to_jsonb(new) ->> tg_argv[0];
begin
  if current_user in ('svc_app', 'svc_engine') and v_from is not null and v_from || '>' || v_to <> all (string_to_array(tg_argv[1], ' ')) then
    raise exception '% of % may not go from % to %', tg_argv[0], tg_table_name, v_from, v_to
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end
$$;

create or replace trigger actions_transition after update on actions
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'approved>cancelled approved>executing awaiting_approval>approved awaiting_approval>cancelled awaiting_approval>rejected blocked>cancelled blocked>draft draft>awaiting_approval draft>blocked draft>cancelled drifted>blocked drifted>cancelled drifted>draft executing>approved executing>drifted executing>failed executing>verified failed>blocked failed>cancelled failed>draft');
create or replace trigger campaigns_transition after update on campaigns
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'completed>running paused>cancelled paused>completed paused>running pending>cancelled pending>running running>cancelled running>completed running>paused');
create or replace trigger candidates_transition after update on candidates
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'confirmed>deferred confirmed>pending confirmed>rejected confirmed>routed confirmed>withdrawn deferred>confirmed deferred>pending deferred>rejected deferred>routed pending>confirmed pending>deferred pending>rejected pending>routed pending>withdrawn rejected>confirmed rejected>deferred rejected>pending rejected>routed rejected>withdrawn routed>confirmed routed>deferred routed>pending routed>rejected withdrawn>confirmed withdrawn>pending');
create or replace trigger change_subscriptions_transition after update on change_subscriptions
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'active>error active>expired active>expiring active>removed error>active error>removed expired>active expired>removed expiring>active expiring>error expiring>expired expiring>removed removed>active');
create or replace trigger domains_transition after update on domains
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'draft>approved');
create or replace trigger findings_transition after update on findings
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'acknowledged>reopened acknowledged>resolved open>acknowledged open>resolved reopened>acknowledged reopened>resolved resolved>acknowledged resolved>reopened');
create or replace trigger information_types_transition after update on information_types
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'draft>approved');
create or replace trigger regulatory_mappings_transition after update on regulatory_mappings
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'approved>rejected draft>approved draft>rejected');
create or replace trigger scopes_coverage_state_transition after update on scopes
  for each row when (old.coverage_state is distinct from new.coverage_state)
  execute function refuse_transition('coverage_state', 'baseline>delta baseline>stale delta>baseline delta>stale stale>baseline stale>delta');
create or replace trigger tasks_transition after update on tasks
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'cancelled>open done>open in_progress>cancelled in_progress>done in_progress>open open>cancelled open>done open>in_progress');
create or replace trigger dataset_candidates_transition after update on dataset_candidates
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'pending>approved pending>rejected');
create or replace trigger model_releases_transition after update on model_releases
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'approved>evaluated approved>promoted approved>rejected approved>withdrawn evaluated>approved evaluated>rejected evaluated>withdrawn promoted>rolled_back promoted>superseded proposed>evaluated proposed>rejected proposed>withdrawn superseded>promoted');
create or replace trigger suppressions_transition after update on suppressions
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'active>expired active>revoked proposed>active proposed>expired proposed>rejected proposed>revoked');

create or replace function refuse_change()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end
$$;

create or replace trigger action_transitions_append_only before delete or update or truncate on action_transitions
  for each statement execute function refuse_change();
create or replace trigger assertions_append_only before delete or update or truncate on assertions
  for each statement execute function refuse_change();
create or replace trigger asset_versions_append_only before delete or update or truncate on asset_versions
  for each statement execute function refuse_change();
create or replace trigger audit_checkpoints_append_only before delete or update or truncate on audit_checkpoints
  for each statement execute function refuse_change();
create or replace trigger audit_events_append_only before delete or update or truncate on audit_events
  for each statement execute function refuse_change();
create or replace trigger audit_set_aside_append_only before delete or update or truncate on audit_set_aside
  for each statement execute function refuse_change();
create or replace trigger decisions_append_only before delete or update or truncate on decisions
  for each statement execute function refuse_change();
create or replace trigger inferences_append_only before delete or update or truncate on inferences
  for each statement execute function refuse_change();
create or replace trigger policy_document_versions_append_only before delete or update or truncate on policy_document_versions
  for each statement execute function refuse_change();
create or replace trigger dataset_snapshots_append_only before delete or update or truncate on dataset_snapshots
  for each statement execute function refuse_change();
create or replace trigger dataset_snapshot_items_append_only before delete or update or truncate on dataset_snapshot_items
  for each statement execute function refuse_change();
create or replace trigger release_transitions_append_only before delete or update or truncate on release_transitions
  for each statement execute function refuse_change();
