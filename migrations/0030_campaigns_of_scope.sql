-- When a scope was last read, among all the deltas that its notifications and its schedule have started.
create index campaigns_of_scope on campaigns (tenant_id, scope_id, started_at) where started_at is not null;

-- The newest campaigns of a scope: for a reader who sees some scopes of many, and for what came after a campaign.
create index campaigns_newest_of_scope on campaigns (tenant_id, scope_id, created_at desc, campaign_id desc);
