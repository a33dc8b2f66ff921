-- What was said stays said: what the model inferred, what people decided, what either asserted, what an asset or a policy
-- was, what became of an action, what was audited. The runtime was never granted a change of these; the triggers refuse it
-- to everybody else too, the owner of the tables and a superuser among them, so that a correction by hand is a deliberate
-- act in two steps.

create function refuse_change() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end
$$;

-- Once for each statement: one that would meet no row is refused as well.
create trigger inferences_append_only before update or delete or truncate on inferences
  for each statement execute function refuse_change();
create trigger decisions_append_only before update or delete or truncate on decisions
  for each statement execute function refuse_change();
create trigger assertions_append_only before update or delete or truncate on assertions
  for each statement execute function refuse_change();
create trigger asset_versions_append_only before update or delete or truncate on asset_versions
  for each statement execute function refuse_change();
create trigger audit_events_append_only before update or delete or truncate on audit_events
  for each statement execute function refuse_change();
create trigger audit_checkpoints_append_only before update or delete or truncate on audit_checkpoints
  for each statement execute function refuse_change();
create trigger action_transitions_append_only before update or delete or truncate on action_transitions
  for each statement execute function refuse_change();
create trigger policy_document_versions_append_only before update or delete or truncate on policy_document_versions
  for each statement execute function refuse_change();
