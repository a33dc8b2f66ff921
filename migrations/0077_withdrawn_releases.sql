-- A release that its proposer withdraws before it is promoted. Additive. Who approved it then stays known.

alter table model_releases
  drop constraint model_releases_status,
  add constraint model_releases_status check (status in (
    'proposed', 'evaluated', 'approved', 'rejected', 'withdrawn', 'promoted', 'superseded', 'rolled_back')) not valid,
  drop constraint model_releases_decided,
  add constraint model_releases_decided check (
    status = 'withdrawn' or status in ('proposed', 'evaluated') = (decided_by is null)) not valid,
  drop constraint model_releases_evaluated,
  add constraint model_releases_evaluated check (
    (evaluation is null) = (evaluated_at is null)
    and (evaluation is not null or status in ('proposed', 'rejected', 'withdrawn'))) not valid;
alter table model_releases validate constraint model_releases_status;
alter table model_releases validate constraint model_releases_decided;
alter table model_releases validate constraint model_releases_evaluated;

--! include functions/releases.sql
create or replace trigger model_releases_transition after update on model_releases
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'approved>evaluated approved>promoted approved>rejected approved>withdrawn evaluated>approved evaluated>rejected evaluated>withdrawn promoted>rolled_back promoted>superseded proposed>evaluated proposed>rejected proposed>withdrawn superseded>promoted');

create or replace trigger release_transitions_append_only before delete or update or truncate on release_transitions
  for each statement execute function refuse_change();
--! end functions/releases.sql
