-- What the audit trail is told of beside changes that people make: answers that nothing was found.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table principals in share row exclusive mode;

-- How often somebody was answered at an endpoint that nothing was found, in a window that began with the first such answer.
-- One row for each, whatever was asked for: the next window takes the place of the last.
create table not_found_counts (
  tenant_id text not null,
  principal_id text not null,
  endpoint text not null constraint not_found_counts_endpoint check (endpoint ~ '^[a-z][a-z0-9-]{0,63}$'),
  window_start timestamptz not null,
  count integer not null constraint not_found_counts_count check (count > 0),
  primary key (tenant_id, principal_id, endpoint),
  foreign key (tenant_id, principal_id) references principals
);
call protect_tenant_table('not_found_counts');
grant select, insert, update (window_start, count) on not_found_counts to svc_app;
