import { z } from 'zod';
import { listOwners } from '../../../core/governance/owners.sql.ts';
import { OwnerSchema } from '../../../core/governance/owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import {
  DomainWithoutOwnerSchema,
  domainsWithoutOwner,
} from '../../../core/landscape/domains-without-owner.sql.ts';

const LIMITS = { owners: 500, domains: 200 };

export const listDomainOwners = endpoint({
  name: 'governance-list-owners',
  method: 'GET',
  path: '/api/governance/owners',
  summary: 'Assignments of owners to domains, with their attestation',
  description:
    'Ordered by domain. An assignment is `due` in the last 14 days before its date (the second half of a ' +
    'shorter period) and `overdue` after it. `isOrphaned` says that the person is disabled or has lost the role ' +
    'domain_owner, and so cannot act. Domain-scoped callers see their own domains. `withoutOwner` ' +
    'lists up to 200 domains without an owner who can act (enabled, with the role), the ones with most ' +
    'waiting questions first.',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().min(1).max(64).optional() }),
  response: listOf(OwnerSchema).extend({
    withoutOwner: z.array(DomainWithoutOwnerSchema),
  }),
  handle: async ({ tx, visibility, query: { domainId }, now }) => ({
    ...bounded(await listOwners(tx, visibility, domainId, LIMITS.owners + 1, now), LIMITS.owners),
    withoutOwner: await domainsWithoutOwner(tx, visibility, {
      domainId,
      onlyApproved: false,
      limit: LIMITS.domains,
    }),
  }),
});
