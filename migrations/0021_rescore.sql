-- Scoring again without the source: one campaign of the whole tenant at a time, and one beside it for what decisions
-- touch.

-- Units come as owners decide, rather than for every asset.
alter table campaigns add column follows_decisions boolean not null default false
  constraint campaigns_follows_decisions check (kind = 'rescore' or not follows_decisions);
create unique index campaigns_active_rescore on campaigns (tenant_id, follows_decisions)
  where kind = 'rescore' and status in ('pending', 'running', 'paused');

-- A rescore makes the next version of the thresholds.
grant insert on ensembles to svc_app;
grant update (active) on ensembles to svc_app;
