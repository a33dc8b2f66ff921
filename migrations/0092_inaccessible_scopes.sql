-- Scopes that their source refuses, and the sites that scopes are in. Additive.

-- What the source or the configuration calls the site of a scope, in lower case. Null if the scope is in none, or was
-- registered by a former release.
alter table scopes add column site_ids text[];

-- Set from the first refusal until the source answers again.
alter table scopes add column inaccessible_reason text;
alter table scopes add column inaccessible_since timestamptz;
-- Since when the source has said without a break that the scope does not exist.
alter table scopes add column gone_since timestamptz;
-- The last refusal.
alter table scopes add column refused_at timestamptz;
-- The unit that met the first refusal. It alone leaves a dead letter.
alter table scopes add column refused_unit_id bigint;
-- When the assets of the scope were ended because it was gone. Stays when it comes back.
alter table scopes add column ended_at timestamptz;
alter table scopes add constraint scopes_inaccessible check (
  inaccessible_reason in ('not_found', 'malformed_id', 'denied', 'locked', 'unreachable')
    and inaccessible_since is not null and refused_at is not null
    and (gone_since is null or inaccessible_reason in ('not_found', 'malformed_id'))
  or inaccessible_reason is null and inaccessible_since is null and gone_since is null and refused_at is null) not valid;
alter table scopes validate constraint scopes_inaccessible;
create index scopes_inaccessible on scopes (tenant_id, scope_id) where inaccessible_since is not null;
