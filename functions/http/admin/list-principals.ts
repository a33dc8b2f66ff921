import { z } from 'zod';
import { visibilityOf } from '../../../core/authz/principal.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf } from '../../../core/kernel/list.ts';
import { countPrincipals, listPrincipals, PRINCIPAL_SORTS } from '../../../core/people/principals.sql.ts';
import { PrincipalFilterSchema, PrincipalSchema, shownPrincipal } from '../../../core/people/principals.ts';

const LIMIT = 500;

export const listAllPrincipals = endpoint({
  name: 'admin-list-principals',
  method: 'GET',
  path: '/api/admin/principals',
  summary: 'People and service principals, with their roles',
  description:
    'Ordered by name. The source of a role is `granted` (by a person or from a terminal) or `claimed` (by the identity ' +
    'provider at the last sign-in). The identity is `bound`, or the person has not signed in yet: `invited`, known to the ' +
    '`directory`, or `none` of these. `total` counts up to 10,000.',
  access: can('principal.read'),
  transaction: 'read',
  query: PrincipalFilterSchema.extend({ sort: z.enum(PRINCIPAL_SORTS).default('name') }),
  response: countedListOf(PrincipalSchema),
  handle: async ({ tx, principal, query: { sort, ...filter }, now }) => {
    const taxonomy = visibilityOf(principal, 'governance.taxonomy.read');
    const principals = await listPrincipals(tx, filter, LIMIT + 1, now, { sort, taxonomy });
    const { items, truncated } = bounded(principals, LIMIT);
    return { items: items.map(shownPrincipal), truncated, ...(await countPrincipals(tx, filter, taxonomy)) };
  },
});
