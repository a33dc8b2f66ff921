-- The tables of states in TypeScript (`*-states.ts`) say which state may follow which. The database refuses any other
-- change by the service. Whoever repairs, as the owner of the schema, is not kept from it. The arguments of each trigger are the column and its transitions; a test holds them against the
-- tables. What a state begins with is left to defaults and checks.
create function refuse_transition() returns trigger language plpgsql as $$
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

create trigger actions_transition after update on actions for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'approved>cancelled approved>executing awaiting_approval>approved awaiting_approval>cancelled awaiting_approval>rejected blocked>cancelled blocked>draft draft>awaiting_approval draft>blocked draft>cancelled drifted>blocked drifted>cancelled drifted>draft executing>approved executing>drifted executing>failed executing>verified failed>blocked failed>cancelled failed>draft');

create trigger tasks_transition after update on tasks for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'cancelled>open done>open in_progress>cancelled in_progress>done in_progress>open open>cancelled open>done open>in_progress');

create trigger findings_transition after update on findings for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'acknowledged>reopened acknowledged>resolved open>acknowledged open>resolved reopened>acknowledged reopened>resolved resolved>acknowledged resolved>reopened');

create trigger domains_transition after update on domains for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'draft>approved');

create trigger information_types_transition after update on information_types for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'draft>approved');

create trigger regulatory_mappings_transition after update on regulatory_mappings for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'approved>rejected draft>approved draft>rejected');

create trigger change_subscriptions_transition after update on change_subscriptions for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'active>error active>expired active>expiring active>removed error>active error>removed expired>active expired>removed expiring>active expiring>error expiring>expired expiring>removed removed>active');

create trigger candidates_transition after update on candidates for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'confirmed>deferred confirmed>pending confirmed>rejected confirmed>routed confirmed>withdrawn deferred>confirmed deferred>pending deferred>rejected deferred>routed pending>confirmed pending>deferred pending>rejected pending>routed pending>withdrawn rejected>confirmed rejected>deferred rejected>pending rejected>routed rejected>withdrawn routed>confirmed routed>deferred routed>pending routed>rejected withdrawn>confirmed withdrawn>pending');

create trigger scopes_coverage_state_transition after update on scopes for each row when (old.coverage_state is distinct from new.coverage_state)
  execute function refuse_transition('coverage_state',
    'baseline>delta baseline>stale delta>baseline delta>stale stale>baseline stale>delta');

create trigger campaigns_transition after update on campaigns for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status',
    'completed>running paused>cancelled paused>completed paused>running pending>cancelled pending>running running>cancelled running>completed running>paused');
