create or replace trigger model_releases_transition after update on model_releases
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'approved>evaluated approved>promoted approved>rejected approved>withdrawn evaluated>approved evaluated>rejected evaluated>withdrawn promoted>rolled_back promoted>superseded proposed>evaluated proposed>rejected proposed>withdrawn superseded>promoted');

create or replace trigger release_transitions_append_only before delete or update or truncate on release_transitions
  for each statement execute function refuse_change();
