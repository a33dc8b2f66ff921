-- When a scope was last read, among all the deltas that its notifications and its schedule have started.
create index campaigns_of_scope on campaigns (tenant_id, scope_id, started_at) where started_at is not null;
