import { type Statement, sql } from '../db/sql.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { type Grantee, type Visibility, visibilityOf } from './principal.ts';
import { withinDomains } from './within-domains.sql.ts';

/** The actions and tasks that a reader may see, and the assets whose names they may see; null means none. */
export type Reader = { actions: Visibility; assets: Visibility | null };

/** A reader of some actions, with the assets that they may see (specification, *Read models*). */
export const readerOf = (reader: Grantee, actions: Visibility): Reader => ({
  actions,
  assets: visibilityOf(reader, 'asset.metadata.read'),
});

/** Who lists actions and tasks. */
export type ListReader = Reader & { principalId: PrincipalId; isApprover: boolean };

/**
 * The actions that a principal may read (specification, *Actions*): all under `action.approve` or `audit.read`,
 * otherwise those of the owned domains.
 */
export function readableBy(principal: Grantee & { principalId: PrincipalId }): ListReader {
  const isApprover = visibilityOf(principal, 'action.approve') !== null;
  const seesAll = isApprover || visibilityOf(principal, 'audit.read') !== null;
  return {
    ...readerOf(
      principal,
      seesAll ? { kind: 'tenant' } : { kind: 'domains', domainIds: principal.ownedDomains },
    ),
    principalId: principal.principalId,
    isApprover,
  };
}

/** Condition on `actions a`: the reader may see it, by the domains through which its requester saw the asset. */
export const visibleAction = (visibility: Visibility): Statement =>
  visibility.kind === 'tenant'
    ? sql`true`
    : sql`exists (select 1 from action_domains d
        where d.tenant_id = a.tenant_id and d.action_id = a.action_id and ${withinDomains(visibility, sql`d.domain_id`)})`;
