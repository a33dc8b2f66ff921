-- Pausing, resuming and cancelling campaigns, and trying dead letters again.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table dead_letters, campaigns in access exclusive mode;

-- Cancelled with units that are still pending or leased. They count as cancelled from the start; a sweep marks them, so
-- that cancelling a million units is one short statement. A column of its own, since an index over the counters would
-- have to move with every settle.
alter table campaigns add column cancelling boolean not null default false
  constraint campaigns_cancelling_status check (status = 'cancelled' or not cancelling);
create index campaigns_cancelling on campaigns (finished_at) where cancelling;

-- Whoever completes a campaign, nothing of it is left; what comes in later is refused.
alter table campaigns add constraint campaigns_completed check (
  status <> 'completed' or units_total = units_completed + units_dead + units_cancelled);

-- A letter stays as history once its unit is tried again.
alter table dead_letters add column retried_at timestamptz;

grant update (status, finished_at, cancelling, units_dead) on campaigns to svc_app;
grant update (status, attempt, run_after, settled_at) on work_units to svc_app;
grant update (retried_at) on dead_letters to svc_app;
grant update (cancelling) on campaigns to svc_engine;
