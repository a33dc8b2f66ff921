import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { builtInDetectors } from '../detectors/on-demand.ts';
import { loadEnabledDetectors } from '../governance/custom-detectors.sql.ts';
import { listLabels } from '../governance/labels.sql.ts';
import type { DomainId, PrincipalId } from '../kernel/ids.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Names beyond these are not known to the analyst. */
const MAX = { domains: 500, types: 5_000, labels: 200, people: 1_000 };

type Named = { id: string; name: string };

/**
 * The names that the asker may see: approved domains of theirs with their types, labels, people who are assigned to
 * these domains, and themselves. Scopes are given, because they are listed for the coverage anyway.
 */
export async function loadVocabulary(
  tx: Tx,
  { principalId, domainIds }: { principalId: PrincipalId; domainIds: readonly string[] },
  scopes: readonly Named[],
): Promise<Vocabulary> {
  const [domains, types, labels, people, own, builtIn] = await Promise.all([
    tx.query<Named>(sql`
      select domain_id as id, name from domains
       where tenant_id = ${tx.tenantId} and domain_id = any(${domainIds}::text[])
       order by domain_id limit ${MAX.domains}`),
    tx.query<Named>(sql`
      select information_type_id as id, name from information_types
       where tenant_id = ${tx.tenantId} and domain_id = any(${domainIds}::text[])
       order by information_type_id limit ${MAX.types}`),
    listLabels(tx, MAX.labels),
    tx.query<Named>(sql`
      select p.principal_id as id, p.display_name as name from principals p
       where p.tenant_id = ${tx.tenantId} and (p.principal_id = ${principalId} or p.principal_id in (
         select o.principal_id from owner_assignments o
          where o.tenant_id = ${tx.tenantId} and o.domain_id = any(${domainIds}::text[]) and o.ended_at is null))
       order by p.principal_id limit ${MAX.people}`),
    loadEnabledDetectors(tx),
    builtInDetectors(),
  ]);
  return {
    domains,
    types,
    labels: labels.map(({ guid, name }) => ({ id: guid, name })),
    scopes,
    people,
    identifiers: [
      ...builtIn.map(({ id, title }) => ({ id, name: title })),
      ...own.map(({ detectorId, definition }) => ({ id: detectorId, name: definition.title })),
    ],
  };
}

/** All domains of the tenant, for a reader of all of it. */
export const everyDomain = async (tx: Tx): Promise<DomainId[]> => {
  const rows = await tx.query<{ id: DomainId }>(sql`
    select domain_id as id from domains where tenant_id = ${tx.tenantId} order by domain_id limit ${MAX.domains}`);
  return rows.map(({ id }) => id);
};

/** The domains whose owners these people are. */
export const assignedOwners = (
  tx: Tx,
  principalIds: readonly string[],
): Promise<{ principalId: string; domainId: DomainId }[]> =>
  tx.query(sql`
    select principal_id as "principalId", domain_id as "domainId" from owner_assignments
     where tenant_id = ${tx.tenantId} and principal_id = any(${principalIds}::text[]) and kind = 'owner' and ended_at is null`);
