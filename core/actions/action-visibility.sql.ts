import { type Grantee, type Visibility, visibilityOf } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import { withinDomains } from '../visibility/within-domains.sql.ts';

/** Which actions and tasks a reader sees, and of which assets they are told the name; null: of none. */
export type Reader = { actions: Visibility; assets: Visibility | null };

/** What a reader of some actions and tasks is told of their assets (specification, *Read models*). */
export const readerOf = (reader: Grantee, actions: Visibility): Reader => ({
  actions,
  assets: visibilityOf(reader, 'asset.metadata.read'),
});

/**
 * What somebody may read (specification, *Actions*): all actions and tasks under `action.approve` or `audit.read`, else
 * those of the owned domains.
 */
export const readableBy = (principal: Grantee): Reader =>
  readerOf(
    principal,
    visibilityOf(principal, 'action.approve') !== null || visibilityOf(principal, 'audit.read') !== null
      ? { kind: 'tenant' }
      : { kind: 'domains', domainIds: principal.ownedDomains },
  );

/** Of `actions a`: those within the grant, by the domains through which the requester saw the asset. */
export const visibleAction = (visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`exists (select 1 from action_domains d
        where d.tenant_id = a.tenant_id and d.action_id = a.action_id and ${withinDomains(visibility, sql`d.domain_id`)})`;
