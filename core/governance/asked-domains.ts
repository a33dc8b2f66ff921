import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { DomainId } from '../kernel/ids.ts';
import { domainsOwnedBy } from './owners.sql.ts';

/** The domains that a filter asks for: one of them, and those of a person. */
export type AskedDomains = { domainId?: string | undefined; ownerId?: string | undefined };

/**
 * What the reader may see of the domains that the filter asks for. A domain of others is as one that does not exist. The
 * owner is looked up even if the reader sees no domain of theirs, so that both take the same time.
 */
export async function withinAskedDomains(
  tx: Tx,
  visibility: Visibility,
  { domainId, ownerId }: AskedDomains,
): Promise<Visibility> {
  const seen = (id: DomainId) => visibility.kind === 'tenant' || visibility.domainIds.includes(id);
  const owned = ownerId === undefined ? null : await domainsOwnedBy(tx, ownerId);
  const named = domainId === undefined ? null : [domainId as DomainId];
  if (owned === null && named === null) return visibility;
  const domainIds = (named ?? owned ?? []).filter((id) => seen(id) && (owned ?? [id]).includes(id));
  return { kind: 'domains', domainIds };
}
