import { z } from 'zod';
import { pendingApprovals } from '../actions/action-list.sql.ts';
import { PendingApprovalSchema } from '../actions/action-schema.ts';
import { type Principal, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { AttestationSchema } from '../governance/attestation.ts';
import { countDrafts } from '../governance/drafts.sql.ts';
import { attestationsOf, OWNER_KINDS } from '../governance/owners.sql.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import { bounded, listOf } from '../kernel/list.ts';
import { DomainPostureSchema, domainPostures } from '../landscape/cells.sql.ts';
import { DomainWithoutOwnerSchema, domainsWithoutOwner } from '../landscape/domains-without-owner.sql.ts';
import { NobodysAssetSchema, nobodysAssets } from '../review/nobodys.sql.ts';
import { ScopeSchema } from '../sources/scope-schema.ts';
import { shownScopes } from '../sources/shown-scopes.ts';

const MAX_SCOPES = 50;
const MAX_APPROVALS = 10;
const MAX_WITHOUT_OWNER = 50;
const MAX_NOBODYS = 50;

const AssignmentSchema = z.object({
  assignmentId: z.string(),
  kind: z.enum(OWNER_KINDS),
  attestation: AttestationSchema,
});

/** What waits for the caller. A section is there only for who holds the capability that it is about. */
export const HomeSchema = z.object({
  domains: z.array(
    DomainPostureSchema.extend({
      /** The caller's own assignments to the domain. */
      assignments: z.array(AssignmentSchema),
    }),
  ),
  /** Under `action.approve`: how many actions wait for an approver, and those that have waited longest. */
  pendingApprovals: z.object({ count: z.int(), items: z.array(PendingApprovalSchema) }).optional(),
  /** Under `governance.taxonomy.approve`: what waits to be approved. */
  draftTaxonomy: z
    .object({ domains: z.int(), informationTypes: z.int(), regulatoryMappings: z.int() })
    .optional(),
  /** Under `governance.owner.assign`: approved domains with no owner who could act, the most waiting questions first. */
  withoutOwner: listOf(DomainWithoutOwnerSchema).optional(),
  /** Under `governance.taxonomy.approve`: assets that all domains which were asked have refused, the newest first. */
  nobodys: listOf(NobodysAssetSchema).optional(),
  /** Under `scan.job.read`: the scopes that the caller may see. */
  scopes: listOf(ScopeSchema).optional(),
});

/** @param now milliseconds */
export async function home(
  parts: SourceParts,
  tx: Tx,
  principal: Principal,
  now: number,
): Promise<z.input<typeof HomeSchema>> {
  const owned = await domainPostures(tx, principal.ownedDomains, now);
  const assignments =
    owned.length === 0 ? [] : await attestationsOf(tx, { principalId: principal.principalId }, now);
  const byDomain = Map.groupBy(assignments, ({ domainId }) => domainId);
  const assignsOwnersOf = visibilityOf(principal, 'governance.owner.assign');
  const assetsOf =
    visibilityOf(principal, 'governance.taxonomy.approve') && visibilityOf(principal, 'asset.metadata.read');
  const scopesOf = visibilityOf(principal, 'scan.job.read');
  return {
    domains: owned.map((domain) => ({ ...domain, assignments: byDomain.get(domain.domainId) ?? [] })),
    ...(visibilityOf(principal, 'action.approve') && {
      pendingApprovals: await pendingApprovals(
        tx,
        visibilityOf(principal, 'asset.metadata.read'),
        MAX_APPROVALS,
      ),
    }),
    ...(visibilityOf(principal, 'governance.taxonomy.approve') && { draftTaxonomy: await countDrafts(tx) }),
    ...(assignsOwnersOf && {
      withoutOwner: bounded(
        await domainsWithoutOwner(tx, assignsOwnersOf, { onlyApproved: true, limit: MAX_WITHOUT_OWNER + 1 }),
        MAX_WITHOUT_OWNER,
      ),
    }),
    ...(assetsOf && { nobodys: bounded(await nobodysAssets(tx, assetsOf, MAX_NOBODYS + 1), MAX_NOBODYS) }),
    ...(scopesOf && { scopes: bounded(await shownScopes(parts, tx, scopesOf, MAX_SCOPES + 1), MAX_SCOPES) }),
  };
}
